// A button beside each link that copies it; without scripts the field can be selected by hand.

const said = document.getElementById("copied");
for (const button of document.querySelectorAll("[data-copy]")) {
  const field = document.getElementById(button.dataset.copy);
  button.hidden = false;
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(field.value);
      said.textContent = "Copied.";
    } catch {
      said.textContent = "Your browser does not allow copying; the link is selected, so copy it manually.";
    }
  });
}
for (const field of document.querySelectorAll(".secret")) field.addEventListener("focus", () => field.select());
