// Runs in each part of the page. Links stay links: only a plain click is taken over.
let last = null;
element.addEventListener("click", (event) => {
  const target = event.target.closest("[data-go]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  last = target.dataset.key ? `[data-key="${target.dataset.key}"]` : `[data-go='${target.dataset.go}']`;
  const go = JSON.parse(target.dataset.go);
  trigger("click", go);
  if (target.matches("a")) window.scrollTo({ top: 0 });
});
watch("value", () => {
  const again = last && element.querySelector(last);
  if (again && document.activeElement === document.body) again.focus({ preventScroll: true });
  last = null;
});
