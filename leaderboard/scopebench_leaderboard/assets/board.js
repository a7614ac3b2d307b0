// Runs in each part of the page. Links stay links: only a plain click is taken over.
let last = null;
element.addEventListener("click", (event) => {
  const target = event.target.closest("[data-go]");
  if (!target || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
  event.preventDefault();
  const { key, go } = target.dataset;
  last = key ? `[data-key="${key}"]` : `[data-go='${go}']`;
  trigger("click", JSON.parse(go));
  if (target.matches("a")) window.scrollTo({ top: 0 });
});
// What was clicked is drawn anew: the keyboard goes on from where it was.
new MutationObserver(() => {
  const again = last && document.activeElement === document.body && element.querySelector(last);
  if (!again) return;
  again.focus({ preventScroll: true });
  last = null;
}).observe(element, { childList: true, subtree: true });
