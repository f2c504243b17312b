"""Feng and Berger 2005 (Vam): pages, what reading ahead covers, and runs in little memory."""
