interface DescribedServer {
  readonly token_endpoint: string
  readonly device_authorization_endpoint?: string | undefined
}

/** A section of the walkthrough; empty without the device grant. */
export function withoutABrowser({ token_endpoint, device_authorization_endpoint }: DescribedServer): string {
  if (device_authorization_endpoint === undefined) return ''
  return `
## Without a browser

Where no browser can come back to you (SSH, a container), a person types a code in a browser elsewhere (RFC 8628). Take the steps above
wherever they work: this one needs a client that is registered for \`urn:ietf:params:oauth:grant-type:device_code\`, and gives less.
\`unauthorized_client\` means that yours is not.

\`\`\`sh
curl -sS ${device_authorization_endpoint} -d client_id="$CLIENT_ID" --data-urlencode scope='openid courses:read'
\`\`\`

Show \`user_code\` and \`verification_uri\` to your user, and send this every \`interval\` seconds, with the \`device_code\`:

\`\`\`sh
curl -sS ${token_endpoint} --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:device_code \\
  -d client_id="$CLIENT_ID" -d device_code="$DEVICE_CODE"
\`\`\`

\`authorization_pending\`: ask again. \`slow_down\`: ask again, and wait for the longer \`interval\` of that answer. \`access_denied\` and
\`expired_token\`: stop. If an answer was lost, ask again: you get the same tokens.
`
}
