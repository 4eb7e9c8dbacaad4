/** An app in the browser, which shows what it sends and what it gets. What it knows is in the storage of its tab. */

const root = document.querySelector('.playground')
const { issuer, metadata: metadataAddress } = root.dataset
const redirectUri = `${issuer}/playground`
const byId = (id) => document.getElementById(id)

const KEY = `playground of ${issuer}`
/** Members: metadata, clientId, pending (an authorization request), code, verifier, tokens, exchanges by step. */
const state = JSON.parse(sessionStorage.getItem(KEY)) ?? { exchanges: {} }

function keep(changes) {
  Object.assign(state, changes)
  sessionStorage.setItem(KEY, JSON.stringify(state))
}

// The requests.

const STEPS = {
  async metadata() {
    const answer = await send('metadata', { url: metadataAddress })
    if (answer?.status === 200) keep({ metadata: answer.json })
  },

  async registration() {
    const json = {
      client_name: 'Playground',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    }
    const answer = await send('registration', {
      method: 'POST',
      url: state.metadata.registration_endpoint,
      json,
    })
    if (answer?.status === 201) keep({ clientId: answer.json.client_id })
    else byId('existing').open = true
  },

  authorization: () => authorize('authorization', {}),

  async token() {
    const answer = await sendToTokenEndpoint('token', {
      grant_type: 'authorization_code',
      code: state.code,
      redirect_uri: redirectUri,
      code_verifier: state.verifier,
    })
    keep({ code: undefined, tokens: answer?.status === 200 ? answer.json : state.tokens })
  },

  async api() {
    const answer = await send('api', {
      method: byId('method').value,
      url: new URL(byId('address').value, issuer).href,
      headers: { authorization: `Bearer ${state.tokens.access_token}` },
    })
    const challenge = answer?.headers['www-authenticate'] ?? ''
    if (challenge.includes('insufficient_user_authentication')) demand(challenge)
  },

  async refresh() {
    const { refresh_token } = state.tokens
    const answer = await sendToTokenEndpoint('refresh', { grant_type: 'refresh_token', refresh_token })
    if (answer?.status === 200) keep({ tokens: { ...state.tokens, ...answer.json } })
  },

  'step-up': () =>
    authorize('step-up', { acr_values: byId('acr-values').value, max_age: byId('max-age').value }),

  async revocation() {
    const token_type_hint = byId('revoked').value
    await send('revocation', {
      method: 'POST',
      url: state.metadata.revocation_endpoint,
      form: { token: state.tokens[token_type_hint], token_type_hint, client_id: state.clientId },
    })
  },
}

function sendToTokenEndpoint(step, form) {
  const url = state.metadata.token_endpoint
  return send(step, { method: 'POST', url, form: { ...form, client_id: state.clientId } })
}

/** Without the cookies of the tab, as a client elsewhere. @returns the answer; nothing, if there was none */
async function send(step, request) {
  const { method = 'GET', url, form, json } = request
  const headers = { ...request.headers, ...(json && { 'content-type': 'application/json' }) }
  const body = form ? new URLSearchParams(form) : json && JSON.stringify(json)
  let answer
  try {
    const response = await fetch(url, { method, headers, body, credentials: 'omit' })
    answer = await answerOf(response)
  } catch (error) {
    answer = { failed: `No answer: ${error.message}. This page may call its own server only.` }
  }
  keep({
    exchanges: { ...state.exchanges, [step]: { request: { method, url, headers, form, json }, answer } },
  })
  return answer.failed ? undefined : answer
}

/** The headers that say something of the protocol. */
const SHOWN = ['content-type', 'cache-control', 'www-authenticate', 'retry-after', 'grantkit-reference']

async function answerOf(response) {
  const text = await response.text()
  const headers = Object.fromEntries([...response.headers].filter(([name]) => SHOWN.includes(name)))
  return { status: response.status, headers, text, json: parsed(text) }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What the API demands of the sign-in is what step 7 requests (RFC 9470 3). */
function demand(challenge) {
  const value = (name) => new RegExp(`${name}="?([^",]+)`).exec(challenge)?.[1] ?? ''
  byId('acr-values').value = value('acr_values')
  byId('max-age').value = value('max_age')
}

// The way to the server and back.

async function authorize(step, wishes) {
  const verifier = random()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const scopes = [...document.querySelectorAll('[name=scope]:checked')].map(({ value }) => value)
  const query = {
    response_type: 'code',
    client_id: state.clientId,
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    state: random(),
    code_challenge: base64url(new Uint8Array(digest)),
    code_challenge_method: 'S256',
    ...Object.fromEntries(Object.entries(wishes).filter(([, value]) => value !== '')),
  }
  const pending = { step, verifier, state: query.state }
  const request = { method: 'GET', url: state.metadata.authorization_endpoint, headers: {}, query }
  keep({ pending, exchanges: { ...state.exchanges, [step]: { request } } })
  location.assign(addressOf(request))
}

/** Takes the answer out of the address bar, and checks it (RFC 6749 10.12, RFC 9207 2.4). */
function comeBack() {
  const query = Object.fromEntries(new URLSearchParams(location.search))
  if (!('code' in query || 'error' in query)) return
  history.replaceState(null, '', location.pathname)
  const { pending } = state
  if (!pending) return
  const { step, verifier } = pending
  const isOurs = query.state === pending.state
  const isFromIssuer = query.iss === issuer
  const failed =
    isOurs && isFromIssuer ? undefined : 'The answer is not of this request: state or iss differs.'
  const exchange = { ...state.exchanges[step], answer: { query, failed } }
  const code = failed ? undefined : query.code
  keep({ pending: undefined, code, verifier, exchanges: { ...state.exchanges, [step]: exchange } })
  byId(code ? 'token' : step).scrollIntoView()
}

function random() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

function base64url(bytes) {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

// The page.

/** What each parameter is for. */
const PURPOSES = {
  acr_values: 'how strong the sign-in must be',
  client_id: 'which app asks',
  client_name: 'what the user reads on the consent page',
  code: 'redeemed once, within a minute',
  code_challenge: 'the hash of a secret that only this app knows (PKCE)',
  code_challenge_method: 'the hash is SHA-256',
  code_verifier: 'that secret: a stolen code is worth nothing without it',
  error: 'what went wrong, for programs',
  error_description: 'what went wrong, for people',
  grant_type: 'what the app has in exchange for tokens',
  grant_types: 'how the app will get tokens',
  iss: 'who answers: it must be the issuer (RFC 9207)',
  max_age: 'how long ago the sign-in may be',
  redirect_uri: 'where the browser returns to',
  redirect_uris: 'where browsers may return to, exactly',
  refresh_token: 'works once: the answer has the next one',
  response_type: 'the answer is a code',
  response_types: 'the answer of the authorization endpoint',
  scope: 'what the app may do',
  state: 'ties the answer to this request',
  token: 'what ends',
  token_endpoint_auth_method: 'a public client: no secret',
  token_type_hint: 'where the server looks first',
}
const SECRETS = ['access_token', 'refresh_token', 'id_token', 'code', 'code_verifier', 'token']

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties)
  made.append(...children)
  return made
}

const code = (text) => element('code', {}, text)
const block = (text, label) => element('pre', { tabIndex: 0, ariaLabel: label, role: 'group' }, code(text))
const disclosure = (summary, ...inside) => element('details', {}, element('summary', {}, summary), ...inside)

function short(text) {
  return text.length > 32 ? `${text.slice(0, 16)}…${text.slice(-6)}` : text
}

const shown = (name, value) => (SECRETS.includes(name) ? short(String(value)) : value)

function headerLines(headers) {
  return Object.entries(headers).map(([name, value]) => {
    const [scheme, token] = value.split(' ')
    return name === 'authorization' ? `${name}: ${scheme} ${short(token)}` : `${name}: ${value}`
  })
}

function parameters(values) {
  const rows = Object.entries(values).flatMap(([name, value]) => {
    const text = shown(name, Array.isArray(value) ? value.join(' ') : value)
    const purpose = element('span', { className: 'quiet' }, PURPOSES[name] ?? '')
    return [element('dt', {}, code(name)), element('dd', {}, code(text), purpose)]
  })
  return element('dl', { className: 'parameters' }, ...rows)
}

/** The whole value of each token; of a JWT also what it says. */
function inFull(values) {
  return Object.entries(values ?? {})
    .filter(([name, value]) => SECRETS.includes(name) && typeof value === 'string' && short(value) !== value)
    .map(([name, value]) => {
      const claims = value.split('.').slice(0, 2).map(decoded)
      const isJwt = claims.length === 2 && claims.every(Boolean)
      const says = isJwt ? claims.map((part) => block(JSON.stringify(part, null, 2), `${name}, decoded`)) : []
      return disclosure(
        isJwt ? `${name} in full, and decoded` : `${name} in full`,
        block(value, name),
        ...says,
      )
    })
}

function decoded(part) {
  try {
    const text = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(text, (letter) => letter.charCodeAt(0))))
  } catch {
    return undefined
  }
}

function requestPart(request) {
  const { method, url, headers, query, form, json } = request
  const values = query ?? form ?? json
  const kind = form ? ['content-type: application/x-www-form-urlencoded'] : []
  const copy = element('button', { type: 'button' }, 'Copy as curl')
  const command = curlOf(request)
  copy.addEventListener('click', async () => {
    await navigator.clipboard.writeText(command)
    copy.textContent = 'Copied'
  })
  return [
    element('h3', {}, 'Request'),
    block([`${method} ${url}`, ...headerLines(headers), ...kind].join('\n'), 'Request'),
    ...(values ? [parameters(values)] : []),
    disclosure('curl', block(command, 'curl'), copy),
  ]
}

function answerPart({ status, headers, text, json, query, failed }) {
  const problem = failed ?? problemOf(json ?? query)
  const body = json ? JSON.stringify(json, shown, 2) : text
  return [
    element('h3', {}, 'Answer'),
    ...(problem ? [element('p', { className: 'problem' }, problem, ...explained(json))] : []),
    ...(query ? [parameters(query)] : []),
    ...(status ? [block([status, ...headerLines(headers), '', body].join('\n').trim(), 'Answer')] : []),
    ...inFull(json ?? query),
  ]
}

/** Without the reference, which follows as a link. */
function problemOf({ error, error_description: description, reference } = {}) {
  return error && (description ? `${error}: ${description.replace(` (ref ${reference})`, '')}` : error)
}

/** An error with a reference is explained to the operator. */
function explained(json) {
  if (!json?.reference) return []
  return [
    ' ',
    element('a', { href: redirectUri.replace(/playground$/, 'why') }, `Reference ${json.reference}`),
  ]
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`

function addressOf({ url, query }) {
  return query ? `${url}?${new URLSearchParams(query)}` : url
}

function curlOf(request) {
  const { method, headers, form, json } = request
  const fields = Object.entries(form ?? {}).map(
    ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
  )
  return [
    `curl -i -X ${method} ${quoted(addressOf(request))}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...fields,
    ...(json ? [`-d ${quoted(JSON.stringify(json))}`] : []),
  ].join(' \\\n  ')
}

/** What a step lacks; nothing, if it can be done. */
function lacking(step) {
  const { metadata, clientId, tokens } = state
  if (step === 'metadata') return undefined
  if (!metadata) return 'First: 1. Metadata'
  if (step === 'registration')
    return metadata.registration_endpoint
      ? undefined
      : 'This server has no dynamic client registration. Use a client that exists.'
  if (!clientId) return 'First: 2. Registration'
  if (step === 'authorization') return undefined
  if (step === 'token') return state.code ? undefined : 'First: 3. Authorization request'
  if (!tokens) return 'First: 4. Token request'
  if (step === 'refresh' && !tokens.refresh_token) return 'There is no refresh token.'
  if (step === 'revocation' && !tokens[byId('revoked').value]) return 'There is no such token.'
  return undefined
}

/** The answer may push the next step out of the window. */
function nextOf(entry) {
  const next = entry.nextElementSibling?.dataset.of
  return next ? element('a', { href: `#${next}` }, `Next: ${byId(`${next}-title`).textContent}`) : ''
}

function draw() {
  const { metadata, exchanges } = state
  for (const step of Object.keys(STEPS)) {
    const lack = lacking(step)
    const exchange = exchanges[step]
    const parts = exchange
      ? [
          element('div', {}, ...requestPart(exchange.request)),
          element('div', {}, ...answerPart(exchange.answer ?? {})),
        ]
      : []
    const section = byId(step)
    section.querySelector('.primary').disabled = lack !== undefined
    section.querySelector('.exchange').replaceChildren(...parts)
    const done =
      exchange?.answer && !exchange.answer.failed && !problemOf(exchange.answer.json ?? exchange.answer.query)
    const entry = root.querySelector(`[data-of="${step}"]`)
    entry.className = done ? 'done' : ''
    section.querySelector('.lack').replaceChildren(done ? nextOf(entry) : (lack ?? ''))
  }
  if (metadata && !metadata.registration_endpoint) byId('existing').open = true
  byId('client-id').value ||= state.clientId ?? ''
  byId('address').value ||= metadata?.userinfo_endpoint ?? ''
  const classes = ['', ...(metadata?.acr_values_supported ?? [])]
  byId('acr-values').append(
    ...classes.slice(byId('acr-values').length).map((name) => element('option', {}, name)),
  )
}

function start() {
  for (const [step, work] of Object.entries(STEPS))
    byId(step)
      .querySelector('form')
      .addEventListener('submit', async (event) => {
        event.preventDefault()
        await work()
        draw()
      })
  byId('use-client').addEventListener('click', () => {
    keep({ clientId: byId('client-id').value.trim() })
    draw()
  })
  const address = byId('address')
  const check = () =>
    address.setCustomValidity(URL.canParse(address.value, issuer) ? '' : 'This is no address.')
  address.addEventListener('input', check)
  byId('known-api')?.addEventListener('change', ({ target }) => {
    address.value = target.value || (state.metadata?.userinfo_endpoint ?? '')
    check()
  })
  byId('revoked').addEventListener('change', draw)
  byId('restart').addEventListener('click', () => {
    sessionStorage.removeItem(KEY)
    location.assign(redirectUri)
  })
  comeBack()
  draw()
}

// Another name of this machine is another origin, to which the policy of the page lets nothing go.
if (location.origin === new URL(issuer).origin) start()
else location.replace(redirectUri)
