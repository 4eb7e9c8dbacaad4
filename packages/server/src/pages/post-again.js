/** Submits the form of the page. Without this script the user presses its button. */

document.forms[0].submit()
