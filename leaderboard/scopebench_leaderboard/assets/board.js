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
element.addEventListener("keydown", (event) => {
  if (event.key === "Tab") last = null;
});
// What was clicked is drawn anew, perhaps elsewhere: the keyboard goes on from there.
new MutationObserver(() => {
  const again = last && element.querySelector(last);
  const now = document.activeElement;
  if (!again || now === again) return;
  if (now === document.body || element.contains(now)) again.focus({ preventScroll: true });
}).observe(element, { childList: true, subtree: true, attributes: true });
