/// <reference lib="dom" />
import type { CDPSession, Page } from 'playwright-core'

export interface Authenticator {
  readonly cdp: CDPSession
  readonly authenticatorId: string
}

/** Chromium's own, as a laptop has one: it verifies its user and answers at once. It ends with its page. */
export async function addAuthenticator(page: Page): Promise<Authenticator> {
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('WebAuthn.enable')
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { cdp, authenticatorId }
}

/** A browser without suggestions in fields: the page asks the authenticator only when its button is pressed. */
export async function suggestNothing(page: Page): Promise<void> {
  await page.addInitScript(() => {
    PublicKeyCredential.isConditionalMediationAvailable = async () => false
  })
}
