/** Shows the buttons that copy a field. Without this script the user selects the text and copies it. */

async function copy(button) {
  const field = document.getElementById(button.dataset.copy)
  try {
    await navigator.clipboard.writeText(field.value)
    button.textContent = button.dataset.copied
  } catch {
    // The browser does not allow it: the text is selected, for the user to copy.
    field.select()
  }
}

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false
  button.addEventListener('click', () => copy(button))
}
