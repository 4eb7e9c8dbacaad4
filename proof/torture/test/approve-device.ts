import { formOf } from '../src/grants/form.ts'
import type { DeviceAuthorization } from '../src/index.ts'

const MAX_PAGES = 3

/** Alice types the user code, and allows what the device requests. */
export async function approveDevice({ verificationUri, userCode }: DeviceAuthorization): Promise<void> {
  const typed = { user_code: userCode }
  let url = verificationUri
  let shown = await fetch(url)
  for (let page = 0; page < MAX_PAGES; page++) {
    const form = formOf(await shown.text(), typed)
    if (form === undefined) break
    url = new URL(form.action, url).href
    const body = new URLSearchParams(form.fields.map(([name, value]): [string, string] => [name, value]))
    shown = await fetch(url, { method: 'POST', body, headers: { origin: new URL(url).origin } })
  }
  if (!shown.ok) throw new Error(`The page for devices answers ${shown.status}`)
}
