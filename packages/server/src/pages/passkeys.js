/** Passkeys on the sign-in page and on the account page. Without this script both pages work, with a password. */

/** A challenge is good for five minutes; the field offers passkeys for as long as the page is open. */
const RENEW_MS = 4 * 60 * 1000

/** A browser answers one question at a time: the one before is withdrawn first. */
let asking = new AbortController()

async function ask(form, mediation) {
  asking.abort()
  asking = new AbortController()
  const { signal } = asking
  const answer = await fetch(form.action, { headers: { accept: 'application/json' }, signal })
  if (!answer.ok) throw new Error(`The options did not come (${answer.status})`)
  const options = await answer.json()
  return form.dataset.passkey === 'create'
    ? navigator.credentials.create({
        publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
        signal,
      })
    : navigator.credentials.get({
        publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
        mediation,
        signal,
      })
}

function send(form, credential) {
  form.elements.answer.value = JSON.stringify(credential.toJSON())
  form.submit()
}

/** The passkeys are among what the browser suggests for the e-mail field. */
async function offerInField(form) {
  const renewal = setTimeout(() => offerInField(form), RENEW_MS)
  try {
    send(form, await ask(form, 'conditional'))
  } catch {
    // Withdrawn, or this browser has none: the password stays.
  } finally {
    clearTimeout(renewal)
  }
}

async function offerByButton(form, event) {
  event.preventDefault()
  try {
    send(form, await ask(form, 'optional'))
  } catch {
    // The user changed their mind, and sees the page as it was.
    await offerInFieldIfAble(form)
  }
}

async function offerInFieldIfAble(form) {
  if (!('inField' in form.dataset)) return
  if (await PublicKeyCredential.isConditionalMediationAvailable?.()) await offerInField(form)
}

const form = document.querySelector('form[data-passkey]')
if (form && window.PublicKeyCredential?.parseRequestOptionsFromJSON) {
  form.hidden = false
  form.addEventListener('submit', (event) => offerByButton(form, event))
  offerInFieldIfAble(form)
}
