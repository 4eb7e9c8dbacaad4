/** Starts Swagger UI on its page: with the client of this service, a field for a token, and the colours of the system. */

const dark = matchMedia('(prefers-color-scheme: dark)')
const paint = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', paint)
paint()

const description = await (await fetch('openapi.json')).json()
description.components.securitySchemes.bearer = {
  type: 'http',
  scheme: 'bearer',
  description: 'An access token that you have',
}
for (const operation of Object.values(description.paths).flatMap((path) => Object.values(path)))
  if (operation.security?.some(({ oauth2 }) => oauth2)) operation.security.push({ bearer: [] })

const viewer = window.SwaggerUIBundle({
  spec: description,
  dom_id: '#docs',
  deepLinking: true,
  oauth2RedirectUrl: new URL('docs/oauth2-redirect.html', location.href).href,
})
viewer.initOAuth({ clientId: 'docs', usePkceWithAuthorizationCodeGrant: true })
