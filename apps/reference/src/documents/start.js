/** Starts Swagger UI on its page: with the client of this service, a field for a token, and the colours of the system. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

const description = await (await fetch('openapi.json')).json()
const bearer = { type: 'http', scheme: 'bearer', description: 'An access token that you have' }
// Its field takes the focus, so it comes before the long list of scopes.
description.components.securitySchemes = { bearer, ...description.components.securitySchemes }
for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path)))
  if (operation.security?.some(({ oauth2 }) => oauth2)) operation.security.push({ bearer: [] })

const viewer = window.SwaggerUIBundle({
  spec: description,
  dom_id: '#docs',
  deepLinking: true,
  oauth2RedirectUrl: new URL('docs/oauth2-redirect.html', location.href).href,
})

// A request without a scope is refused, and what writes is for the user to choose.
const offered = Object.keys(description.components.securitySchemes.oauth2.flows.authorizationCode.scopes)
const scopes = offered.filter((scope) => !scope.endsWith(':write'))
viewer.initOAuth({ clientId: 'docs', usePkceWithAuthorizationCodeGrant: true, scopes })
