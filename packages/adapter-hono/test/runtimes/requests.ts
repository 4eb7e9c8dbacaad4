import { formEncoded, formOfPage } from '@grantkit/testkit/client'

/** The members of a JSON answer, and its status. */
type Members = Readonly<Record<string, unknown>> & { readonly status: number }

export async function post(url: string, fields: Record<string, string | undefined>): Promise<Members> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const response = await fetch(url, { method: 'POST', headers, body: formEncoded(fields) })
  return { ...((await response.json()) as object), status: response.status }
}

/** The operator adds a static client. */
export async function operatorAdds(
  url: string,
  client: object,
): Promise<{ client_id: string; client_secret: string | undefined }> {
  const body = JSON.stringify({ clientName: 'Static', ...client })
  const response = await fetch(`${url}/operator/clients`, { method: 'POST', body })
  const { clientId: client_id, clientSecret: client_secret } = (await response.json()) as Record<
    string,
    string
  >
  if (client_id === undefined) throw new Error('The client was not added')
  return { client_id, client_secret }
}

/** The user types the code and allows everything. @returns the last page */
export async function approveDevice(address: string, user_code: string): Promise<string> {
  const submit = async (url: string, page: string, typed: Record<string, string>) => {
    const { action, fields } = formOfPage({ status: 200, headers: {}, body: page })
    const given = fields.map(([name, value]): [string, string] => [name, value])
    const body = new URLSearchParams([...given, ...Object.entries(typed)])
    return (await fetch(new URL(action, url), { method: 'POST', body })).text()
  }
  const codePage = await (await fetch(address)).text()
  const devicePage = await submit(address, codePage, { user_code })
  return submit(address, devicePage, { decision: 'allow' })
}
