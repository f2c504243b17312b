"""Adcock 2009: movers, which relocate the nodes of trees and lists."""
