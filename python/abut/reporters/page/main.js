// The views in their order.
drawVerdict();
doc.comparisons.forEach((one, i) => drawComparison(one, i));
doc.tunings.forEach((one, i) => drawTuning(one, i));
if (doc.reports.length) {
  const [first, second] = doc.reports;
  const best = second ? null : first.best;
  const beside = second ? [{ name: second.trace.path, run: second.run }] : best ? [{ name: `by ${best.name}, simulated`, run: best }] : [];
  const runs = doc.reports.map((report) => ({ report, name: report.trace.path, best: second ? null : best }));
  drawCulprits(doc.reports);
  drawSharing(doc.reports);
  drawUse(runs);
  drawMaps(first, beside);
  drawFlames(first, second && doc.between ? { name: `against ${second.trace.path}`, flames: doc.between } : best ? { name: `as recorded against ${best.name}`, flames: best.flames } : null);
  drawCurves(first, second ? { name: second.trace.path, curve: second.run.curve } : best);
  drawPairs(first, best);
  drawPages(runs);
  drawMemory(runs);
  drawContexts(runs);
}
drawTrust();
document.documentElement.dataset.drawn = "yes";
