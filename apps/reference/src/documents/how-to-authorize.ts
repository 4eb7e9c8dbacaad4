/** The part of the walkthrough about the authorization request. */
interface Addresses {
  readonly authorization_endpoint: string
  /** Absent without PAR. */
  readonly pushed_authorization_request_endpoint?: string | undefined
  readonly require_pushed_authorization_requests?: boolean | undefined
}

/** The commands that make the address for the browser, after `VERIFIER`, `CHALLENGE` and `STATE`. */
export function authorizationAddress(server: Addresses): string {
  const { authorization_endpoint, require_pushed_authorization_requests = false } = server
  if (require_pushed_authorization_requests) return pushed(server)
  return `echo "${authorization_endpoint}?response_type=code&client_id=$CLIENT_ID&redirect_uri=$REDIRECT_URI&scope=openid%20profile%20courses:read&code_challenge=$CHALLENGE&code_challenge_method=S256&state=$STATE"`
}

function pushed({ authorization_endpoint, pushed_authorization_request_endpoint = '' }: Addresses): string {
  return `PUSHED=$(curl -sS ${pushed_authorization_request_endpoint} \\
  -d response_type=code -d client_id="$CLIENT_ID" --data-urlencode redirect_uri="$REDIRECT_URI" \\
  --data-urlencode scope='openid profile courses:read' \\
  -d code_challenge="$CHALLENGE" -d code_challenge_method=S256 -d state="$STATE")
REQUEST_URI=$(printf %s "$PUSHED" | sed 's/.*"request_uri":"\\([^"]*\\)".*/\\1/')
echo "${authorization_endpoint}?client_id=$CLIENT_ID&request_uri=$REQUEST_URI"`
}

/** Whether a client may or must push its request. Empty without PAR. */
export function aboutPushing(server: Addresses): string {
  const { pushed_authorization_request_endpoint: endpoint, require_pushed_authorization_requests } = server
  if (endpoint === undefined) return ''
  const who = require_pushed_authorization_requests ? 'Every request is pushed' : 'A request may be pushed'
  return `
${who} first (RFC 9126): post its parameters to <${endpoint}>, authenticated as at the token
endpoint, and open the authorization endpoint with \`client_id\` and the \`request_uri\` of the answer alone, within its \`expires_in\`. It
is good for one authorization; a page with \`invalid_request_uri\` means push again.
`
}
