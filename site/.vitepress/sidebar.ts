/** The pages of the site by what a reader wants: to start, to understand, to solve a task, to operate it, to look something up. */
import { basename, join, relative } from 'node:path'
import { publishablePackages, ROOT } from '../../scripts/packages/publishable.ts'
import { entryPoints } from '../entry-points.ts'
import { pagePath } from './pages.ts'

/** As VitePress takes it. Its own type is not here when the rest of the repository is checked. */
interface SidebarGroup {
  readonly text: string
  readonly items: { text: string; link: string }[]
  readonly collapsed?: boolean
}

type Pages = Readonly<Record<string, string>>

const START: Pages = {
  'Start in five minutes': '/start',
  'What it is': '/overview',
  'Try a server in the browser': '/how-to/playground',
  'Let your agent add Grantkit': '/how-to/let-your-agent-add-grantkit',
  'MCP server': '/how-to/mcp',
  'MCP servers: frameworks and clients': '/how-to/mcp-frameworks-and-clients',
  'A complete server': '/how-to/run-a-server',
  'Your users, in any language': '/how-to/external-sign-in',
}

const FRAMEWORKS: Pages = {
  Express: '/how-to/express',
  Fastify: '/how-to/fastify',
  Hono: '/how-to/hono',
  'Next.js': '/how-to/nextjs',
  NestJS: '/how-to/nestjs',
  'Cloudflare Workers': '/how-to/workers',
  'AWS Lambda': '/how-to/lambda',
  'Plain Node': '/how-to/node',
}

const CONCEPTS: Pages = {
  'Tokens and grants': '/concepts/tokens-and-grants',
  Consent: '/concepts/consent',
  'Registration and client documents': '/concepts/clients',
  Sessions: '/concepts/sessions',
  'Scopes and resources': '/concepts/scopes-and-resources',
  'Refresh token rotation and retries': '/concepts/refresh-tokens',
  Architecture: '/concepts/architecture',
  Glossary: '/glossary',
}

const SIGN_IN: Pages = {
  'express-session': '/how-to/express-session',
  Passport: '/how-to/passport',
  'better-auth': '/how-to/better-auth',
  'Auth.js': '/how-to/auth-js',
  'Hosted sign-in': '/how-to/hosted-sign-in',
  'OpenID Connect': '/how-to/openid',
  'Claims of your own': '/how-to/claims',
  Logout: '/how-to/logout',
  'Step-up authentication': '/how-to/step-up',
  Organizations: '/how-to/organizations',
  'Authorization details': '/how-to/authorization-details',
  'Branding and languages': '/how-to/pages',
}

const APIS: Pages = {
  'Protect an API': '/how-to/protect-an-api',
  'JWT access tokens': '/how-to/jwt-access-tokens',
  'Forward auth: nginx, Caddy, Traefik': '/how-to/forward-auth',
  'DPoP: sender-constrained tokens': '/how-to/dpop',
  'Personal access tokens': '/how-to/personal-access-tokens',
  'Token exchange': '/how-to/token-exchange',
}

const CLIENTS: Pages = {
  'MCP clients': '/clients',
  'Static clients': '/how-to/static-clients',
  'Client libraries': '/clients/libraries',
  'Client ID metadata documents (CIMD)': '/how-to/client-documents',
  'Browser applications': '/how-to/browser-apps',
  'Device authorization': '/how-to/device-authorization',
  'Backchannel authentication (CIBA)': '/how-to/backchannel-authentication',
  'Client credentials': '/how-to/client-credentials',
  'Workload identity': '/how-to/workload-identity',
  'Enterprise-Managed Authorization (ID-JAG)': '/how-to/enterprise-managed-authorization',
  'Profiles: FAPI 2.0, PAR, JAR, form_post': '/how-to/fapi2',
  'Rate limits': '/how-to/rate-limits',
}

const EXTEND: Pages = {
  'Several issuers': '/how-to/issuers',
  'Test your application': '/how-to/test',
  Webhooks: '/how-to/webhooks',
  'Watch what clients do': '/how-to/watch',
  'Write a feature': '/how-to/feature',
  'Write a store': '/how-to/store',
  'Write an adapter': '/how-to/adapter',
}

const OPERATE: Pages = {
  'The server in operation': '/server',
  Deployment: '/operations',
  'Users and the admin pages': '/server/users',
  'Sign-in methods': '/server/sign-in',
  'Sign-in providers': '/server/providers',
  'Audit trail': '/server/audit-trail',
  'Signing keys': '/server/keys',
  Monitoring: '/operations/monitoring',
  'Backup and restore': '/operations/backup',
  'Stolen secrets': '/operations/stolen-secrets',
  Scaling: '/scaling',
  'Admin API': '/how-to/admin-api',
}

const TROUBLESHOOTING: Pages = {
  'Common faults and questions': '/troubleshooting',
  'Why a sign-in failed': '/why',
  'Check a live server': '/doctor',
}

const PROVIDERS: Pages = {
  'All providers': '/server/providers',
  Google: '/server/providers/google',
  'Microsoft Entra': '/server/providers/microsoft',
  Apple: '/server/providers/apple',
  GitHub: '/server/providers/github',
  GitLab: '/server/providers/gitlab',
  Okta: '/server/providers/okta',
  Auth0: '/server/providers/auth0',
  'Amazon Cognito': '/server/providers/cognito',
  Keycloak: '/server/providers/keycloak',
  authentik: '/server/providers/authentik',
  Zitadel: '/server/providers/zitadel',
  Slack: '/server/providers/slack',
  Discord: '/server/providers/discord',
  LinkedIn: '/server/providers/linkedin',
}

const PROFILES: Pages = {
  'FAPI 2.0': '/how-to/fapi2',
  'Pushed authorization requests (PAR)': '/how-to/par',
  'Signed requests and responses (JAR, JARM)': '/how-to/signed-requests',
  'Answers by a posted form': '/how-to/form-post',
}

const LIBRARIES: Pages = {
  'All libraries': '/clients/libraries',
  Python: '/clients/python',
  Go: '/clients/go',
  'Java and Kotlin': '/clients/java',
  Rust: '/clients/rust',
  'JavaScript and TypeScript': '/clients/javascript',
  Apache: '/clients/apache',
}

export const LOOK_UP: Pages = {
  'Configuration of the server': '/configuration',
  'Options of core': '/reference/core-options',
  'Runtimes, CommonJS and Jest': '/reference/runtimes',
  'Command line': '/cli',
  'HTTP API': '/http-api',
  Errors: '/errors',
  Events: '/events',
  'RFCs and specifications': '/reference/specifications',
  'Packages and TypeScript API': '/reference/index',
}

const MORE: Pages = {
  'Compare and migrate': '/comparison',
  'Threat model and guarantees': '/security',
  'Proof and project': '/proof',
}

const PROOF: Pages = {
  'What proves it': '/proof',
  'Attacks and their tests': '/security-tests',
  'OpenID conformance suite': '/openid-suite',
  'A model of a grant': '/model',
  Simulation: '/reference/simulation',
  'Do the tests notice a fault?': '/mutants',
}

const MIGRATE: Pages = {
  'Compared with other servers': '/comparison',
  'From oidc-provider': '/migrate/oidc-provider',
  'From the MCP SDK': '/migrate/mcp-sdk',
  'From workers-oauth-provider': '/migrate/workers-oauth-provider',
  'From Auth.js as a provider': '/migrate/authjs',
  'From Ory Hydra': '/migrate/hydra',
}

const PROJECT: Pages = {
  Changelog: '/changelog',
  Contributing: '/contributing',
  Maintainers: '/maintainers',
  Roadmap: '/roadmap',
  'The reference service': '/reference-service',
  'Screenshots of the pages': '/pages-gallery',
}

/** The pages of a list. @param collapsed absent: the list is always open */
function list(text: string, pages: Pages, collapsed?: boolean): SidebarGroup {
  const items = Object.entries(pages).map(([title, link]) => ({ text: title, link }))
  return collapsed === undefined ? { text, items } : { text, items, collapsed }
}

const API = Object.fromEntries(
  entryPoints.map(({ specifier, file }) => [specifier, `/${pagePath(`site/${file}`).replace(/\.md$/, '')}`]),
)

/** The README of each published package, by the name of its folder. */
const PACKAGES = Object.fromEntries(
  publishablePackages().map(({ folder }) => [
    basename(folder),
    `/${pagePath(join(relative(ROOT, folder), 'README.md')).replace(/\.md$/, '')}`,
  ]),
)

export const MAIN: SidebarGroup[] = [
  list('Start', START),
  list('Frameworks', FRAMEWORKS, false),
  list('Concepts', CONCEPTS, true),
  list('Guides: sign-in and pages', SIGN_IN, true),
  list('Guides: APIs and tokens', APIS, true),
  list('Guides: clients', CLIENTS, true),
  list('Guides: test and extend', EXTEND, true),
  list('Operate', OPERATE, true),
  list('Troubleshooting', TROUBLESHOOTING),
  list('Reference', LOOK_UP, true),
  list('More', MORE),
]

/** Pages of which a reader needs only one: they have a sidebar of their own, and the main one has its first page. */
const AREAS: readonly (readonly SidebarGroup[])[] = [
  [list('Sign-in providers', PROVIDERS)],
  [list('Client libraries', LIBRARIES)],
  [list('Profiles', PROFILES)],
  [list('Compare and migrate', MIGRATE)],
  [list('Proof', PROOF), list('Project', PROJECT)],
  [list('Packages', PACKAGES), list('TypeScript API', API)],
]

const BACK = list('Grantkit', { 'All guides': '/start' })

/** By path. VitePress takes the first that a path begins with, so the longer stand first. */
export const sidebars: Readonly<Record<string, SidebarGroup[]>> = Object.fromEntries(
  [
    ...AREAS.flatMap((area) => linksOf(area).map((link) => [link, [BACK, ...area]] as const)),
    ...Object.values(LOOK_UP).map((link) => [link, MAIN] as const),
    ['/', MAIN] as const,
  ].sort(([one], [other]) => other.length - one.length),
)

const OF_AREAS = linksOf(AREAS.flat())

/** Every group of pages, with each page once. */
export const groups: readonly SidebarGroup[] = [
  ...MAIN.map((group) => ({ ...group, items: group.items.filter(({ link }) => !OF_AREAS.includes(link)) })),
  ...AREAS.flat(),
]

export function linksOf(pages: readonly SidebarGroup[]): string[] {
  return pages.flatMap(({ items }) => items.map(({ link }) => link))
}
