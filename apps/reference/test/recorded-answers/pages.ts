import { BASE_URL, type Visitor } from './visitor.ts'

/** The pages of a user, from the sign-in to the account. */
export async function pageAnswers({ ask, send }: Visitor): Promise<void> {
  const page = (title: string, path: string) => ask(title, 'GET', path)
  const client_id = await registered(send)
  await page('an authorization request that is malformed', '/oauth/authorize')
  await page('a page for a user who is signed out', '/account')
  const login = await page('the sign-in page', '/login?return_to=/account')
  const signIn = (title: string, form: string, password: string) =>
    ask(title, 'POST', '/login', {
      form: [...fieldsIn(form), ['email', 'demo@example.com'], ['password', password]],
    })
  await signIn('the right password', await signIn('a wrong password', login, 'wrong'), 'demo')
  const consent = await page('the consent page', authorizationPath(client_id))
  await ask('the user allows it', 'POST', actionIn(consent), {
    form: [...fieldsIn(consent), ['decision', 'allow']],
  })
  const account = await page('the account', '/account')
  const form = fieldsIn(account).slice(0, 2)
  await ask('an app is removed', 'POST', '/account', { form })
  await ask('an app is removed from another site', 'POST', '/account', {
    form,
    headers: { 'sec-fetch-site': 'cross-site' },
  })
}

async function registered(send: Visitor['send']): Promise<string> {
  const body = JSON.stringify({ client_name: 'Timetable <App>', redirect_uris: [REDIRECT_URI] })
  const headers = { 'content-type': 'application/json' }
  const answer = await send(`${BASE_URL}/api/oauth/register`, { method: 'POST', headers, body })
  return JSON.parse(answer.body).client_id
}

const REDIRECT_URI = 'http://127.0.0.1:7001/callback'

function authorizationPath(client_id: string): string {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: REDIRECT_URI,
    scope: 'openid courses:read courses:write',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  return `/oauth/authorize?${query}`
}

/** The fields that a page has filled in, with ticked boxes. */
function fieldsIn(page: string): [string, string][] {
  const fields = page.matchAll(/<input type="(?:hidden|checkbox)" name="([^"]+)" value="([^"]*)"/g)
  return [...fields].map(([, name = '', value = '']) => [name, unescaped(value)])
}

function actionIn(page: string): string {
  return unescaped(/<form method="post" action="([^"]+)"/.exec(page)?.[1] ?? '')
}

function unescaped(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&')
}
