/** A user in a real browser, for the programs of the guides: signs in by their form, and allows what an app asks for. */
import type { Browser as Chromium } from '@grantkit/test-servers/chromium'
import type { Browser } from '@grantkit/testkit/client'

const CALLBACK = 'http://127.0.0.1:7001/callback'

/** Types Alice's name and password into the page that asks for them, and clicks Allow. */
export function browserOf({ context }: Chromium, user = 'alice'): Browser {
  return async (authorizationUrl) => {
    const page = await context.newPage()
    await page.goto(authorizationUrl)
    await page.fill('[name=user]', user)
    await page.fill('[name=password]', 'wonderland')
    await page.click('form button')
    // Nothing listens there: no page ever loads.
    const callback = page.waitForRequest(`${CALLBACK}**`)
    await page.click('[value=allow]')
    return new URL((await callback).url())
  }
}
