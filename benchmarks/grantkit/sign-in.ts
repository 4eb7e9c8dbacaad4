/** Signs the demo account of the reference service in, over HTTP. @returns the session cookie */
export async function signIn(baseUrl: string): Promise<string> {
  const page = await fetch(`${baseUrl}/login`)
  const cookie = cookieOf(page)
  const [, token = ''] = /name="token" value="([^"]+)"/.exec(await page.text()) ?? []
  const body = new URLSearchParams({ token, email: 'demo@example.com', password: 'demo' })
  const answer = await fetch(`${baseUrl}/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie },
    body,
  })
  if (answer.status !== 303) throw new Error(`Signing in was answered with ${answer.status}`)
  return cookieOf(answer)
}

function cookieOf({ headers }: Response): string {
  return headers.getSetCookie()[0]?.split(';')[0] ?? ''
}
