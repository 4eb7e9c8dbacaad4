/** Who may import whom. What no entry of `allowed` names is forbidden, for types too. */

/** The modules of core from the bottom up: each may import itself, the modules before it, and what it lists. */
const MODULES = {
  kernel: ['crypto'],
  http: ['zod'],
  limits: ['tldts'],
  tokens: ['crypto', 'jose', 'zod'],
  clients: ['zod'],
  grants: ['zod'],
  resource: [],
  openid: ['crypto', 'jose', 'zod'],
  authorization: ['zod'],
}
const ORDER = Object.keys(MODULES)

/** A feature of core may import itself, the types of the feature API, and what it lists. */
const FEATURES = {
  'authorization-details': ['kernel', 'http', 'tokens', 'grants', 'resource', 'zod'],
  'backchannel-authentication': [...ORDER, 'zod'],
  cimd: ['kernel', 'http', 'tokens', 'limits', 'clients', 'zod'],
  'client-assertion': ['kernel', 'http', 'tokens', 'limits', 'clients', 'jose', 'zod'],
  'client-credentials': ['kernel', 'http', 'tokens', 'limits', 'clients', 'grants', 'zod'],
  device: [...ORDER, 'zod'],
  dpop: ['kernel', 'http', 'tokens', 'crypto', 'zod'],
  'form-post': ['http', 'clients', 'authorization'],
  'forward-auth': ['kernel', 'http', 'tokens', 'limits', 'resource', 'zod'],
  'initial-access-tokens': ['kernel', 'http', 'clients'],
  'jwt-access-tokens': ['kernel', 'http', 'tokens', 'clients', 'grants', 'resource', 'jose', 'zod'],
  'jwt-bearer': ['kernel', 'http', 'tokens', 'limits', 'clients', 'grants', 'zod'],
  logout: [...ORDER.filter((name) => name !== 'limits'), 'zod'],
  organizations: ['kernel', 'http', 'grants', 'zod'],
  par: ['kernel', 'http', 'tokens', 'clients', 'authorization', 'crypto', 'zod'],
  'personal-tokens': ['kernel', 'tokens', 'clients', 'grants'],
  'request-objects': ['kernel', 'http', 'tokens', 'clients', 'authorization', 'zod'],
  'signed-responses': ['kernel', 'tokens', 'clients', 'authorization', 'jose', 'zod'],
  'token-exchange': ['kernel', 'http', 'tokens', 'clients', 'grants', 'zod'],
  // A profile: it brings features and sets options.
  fapi2: ['kernel', 'http', 'clients'],
}

const CORE = '^packages/core/src/(features/)?'
const core = (...names) => `${CORE}(${names.join('|')})/`
/** A file of core that lies in no folder. */
const top = (name) => `^packages/core/src/(${name})[.]ts$`
const TYPES = { dependencyTypes: ['type-only', 'type-import'] }
const may = (from, to, more) => ({ from: { path: from }, to: { path: to, ...more } })

/** Folders of core, npm packages and modules of Node, by their names. */
function listed(from, names) {
  const folders = names.filter((name) => name in MODULES)
  const others = names.filter((name) => !(name in MODULES))
  return [may(core(from), core(from, ...folders)), may(core(from), [npm(others), node(others)])]
}
const npm = (names) => `/node_modules/(${names.join('|')})/`
const node = (names) => `^(node:)?(${names.join('|')})$`

const modules = ORDER.flatMap((name, at) => listed(name, [...ORDER.slice(0, at), ...MODULES[name]]))
const features = Object.entries(FEATURES).flatMap(([name, names]) => [
  ...listed(name, names),
  may(core(name), top('feature'), TYPES),
])

/** The modules of the server from the bottom up: each may import itself and the modules before it. */
const SERVER_ORDER = [
  'node-version[.]ts',
  'config/',
  'http/',
  'events[.]ts',
  'limits/',
  'rate-limits[.]ts',
  'database/',
  'audit/',
  'attempts/',
  'statistics/',
  'accounts/[^/]+[.]ts',
  'accounts/passkeys/',
  'accounts/upstream/',
  'accounts/external-sign-in/',
  'accounts/users/',
  'definition[.]ts',
  'store[.]ts',
  'storage[.]ts',
  'operations/',
  'service-context[.]ts',
  'sign-in/',
  'authorization/',
  'operator/',
  'pages/',
  'playground/',
  'admin/',
  'admin-api/',
  'service/',
  'listen/',
  'workers/',
  '(server|start)[.]ts',
  // They start and open all of the above.
  'commands/',
  // The entries of the package.
  '(index|database|routes|listen|commands|bin)[.]ts',
]
const SERVER = '^packages/server/src/'
const inServer = (...modules) => `${SERVER}(${modules.join('|')})`
const serverModules = SERVER_ORDER.map((name, at) =>
  may(`${inServer(name)}(?!.*[.]test[.]ts$)`, inServer(...SERVER_ORDER.slice(0, at + 1))),
)

/** The sources of packages, by the name of the package. Public entries alone can be imported by their name. */
const from = (name) => `^packages/(${name})/src/(?!.*[.]test[.]ts$)`
const TORTURE = '^proof/torture/src/(?!.*[.]test[.]ts$)'
const entries = (importer, to, more) => may(importer, to, { dependencyTypesNot: ['local'], ...more })

/** The features that have pages: their views. */
const VIEWS = 'authorization-details|backchannel-authentication|device|form-post|logout|organizations'

export default {
  allowed: [
    ...modules,
    ...features,
    may(core('dpop'), core('resource'), TYPES),
    may(
      core('fapi2'),
      ['client-assertion', 'dpop', 'par', 'request-objects', 'signed-responses'].map(
        (name) => `${CORE}${name}/${name}[.]ts$`,
      ),
    ),
    may(core('fapi2'), [top('options'), core('discovery')], TYPES),
    // It gets its content as arguments.
    may(core('discovery'), core('discovery', 'http')),
    // What puts core together. Only the public entries know the features, but for the one that an option of the server mounts.
    may(top('[^/]+'), [core(...ORDER, 'discovery'), top('(?!index|.+-api|store-kit)[^/]+')]),
    may(top('authorization-server|options'), core('initial-access-tokens')),
    // It makes servers.
    may(core('issuers'), [
      core('issuers', 'kernel', 'http', 'limits', 'grants', 'resource'),
      top('authorization-server'),
    ]),
    may(core('issuers'), [top('feature|options')], TYPES),
    may(top('index|.+-api|errors'), core('[^/]+')),

    ...serverModules,
    may(from('(?!(?:core|server)/)[^/]+'), '^packages/$1/src/'),
    // As the manifest lists them, for users: not for development.
    may(from('(?!core/)[^/]+'), '/node_modules/', { dependencyTypes: ['npm', 'npm-peer'] }),
    entries(from('store-[^/]+'), top('index|feature-api'), TYPES),
    entries(from('store-[^/]+'), top('store-kit')),
    entries(
      from('adapter-[^/]+|explain|known-clients|notifications|pages|safe-fetch|server|testkit|doctor'),
      top('index|.+-api|errors'),
    ),
    entries(from('doctor'), [
      '^packages/(explain|known-clients|safe-fetch|store-memory)/',
      `${CORE}(cimd|client-assertion)/`,
    ]),
    entries(from('known-clients|safe-fetch'), `${CORE}cimd/`, TYPES),
    entries(from('mcp-clients'), ['^packages/(known-clients|testkit)/src/', top('feature-api')]),
    entries(from('pages'), `${CORE}(${VIEWS})/(${VIEWS})[.]ts$`, TYPES),
    entries(from('pages'), top('store-kit'), TYPES),
    entries(from('pages'), '^packages/explain/'),
    may(from('explain|notifications|pages'), node(['crypto'])),
    entries(from('server'), [
      '^packages/(adapter-hono|create-grantkit|doctor|explain|known-clients|notifications|pages|safe-fetch|store-[^/]+)/',
      `${CORE}[^/]+/`,
      top('store-kit'),
      // If it is installed, and only in development.
      '^packages/testkit/src/provider[.]ts$',
    ]),
    may(from('server'), '', { dependencyTypes: ['core'] }),
    may(from('store-(redis|dynamodb)|adapter-express'), node(['crypto', 'stream', 'timers/promises'])),
    may(from('store-(sqlite|postgres)'), node(['fs', 'fs/promises', 'path', 'sqlite', 'timers/promises'])),
    may(from('store-cloudflare'), '^cloudflare:workers$'),
    may(from('safe-fetch'), node(['dns', 'events', 'https?', 'net', 'tls'])),
    may(from('doctor'), node(['util'])),
    may(from('testkit|test-servers|mcp-clients'), '', { dependencyTypes: ['core'] }),
    entries(from('create-grantkit'), top('index|feature-api')),
    may(from('create-grantkit'), node(['crypto', 'fs', 'module', 'path', 'stream'])),

    may('^examples/([^/]+)/', '^examples/$1/'),
    may('^examples/[^/]+/', '/node_modules/', { dependencyTypes: ['npm'] }),
    entries('^examples/[^/]+/', '^packages/'),
    may('^examples/[^/]+/', node(['crypto', 'fs', 'sqlite', 'util'])),
    may('^examples/cloudflare-mcp/', '^cloudflare:workers$'),

    // It is published.
    may(TORTURE, TORTURE),
    may(TORTURE, '', { dependencyTypes: ['core'] }),

    // Their manifests and knip say what these may import.
    may(
      '[.]test[.]ts$|^(apps|docs|scripts|site)/|^proof/(?!torture/src/)|^[^/]+$|^packages/[^/]+/(test|templates)/|^examples/[^/]+$',
      '',
    ),
  ],
  allowedSeverity: 'error',
  forbidden: [
    { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'another-package-by-its-name',
      severity: 'error',
      from: { path: '^((packages|apps)/[^/]+|proof/(?!benchmarks/|model/)[^/]+)/' },
      to: { path: '^(packages|apps|examples|proof/[^/]+)/', pathNot: '^$1/', dependencyTypes: ['local'] },
    },
    {
      // The traces of the model run through the rules of core, which are no public entry.
      name: 'the-model-knows-the-sources-of-core',
      severity: 'error',
      from: { path: '^proof/model/' },
      to: { path: '^(packages|apps)/', pathNot: CORE, dependencyTypes: ['local'] },
    },
    {
      name: 'what-several-test-with-is-a-package',
      severity: 'error',
      from: { path: '^((packages|apps|examples|proof)/[^/]+)/' },
      to: { path: '^[^/]+/[^/]+/test/', pathNot: '^($1|apps/reference)/' },
    },
    {
      name: 'internal-is-for-this-repository',
      severity: 'error',
      from: { path: '^examples/|^packages/create-grantkit/templates/|^proof/torture/src/' },
      to: { path: '^packages/core/src/internal-api[.]ts$' },
    },
    {
      name: 'no-package-imports-an-app',
      severity: 'error',
      from: { path: '^packages/' },
      to: { path: '^(apps|scripts)/' },
    },
    {
      name: 'no-product-imports-its-proof',
      severity: 'error',
      from: { path: '^(packages|apps|examples)/' },
      to: { path: '^proof/' },
    },
  ],
  options: {
    tsPreCompilationDeps: true,
    skipAnalysisNotInRules: true,
    doNotFollow: { path: 'node_modules' },
    // What `pnpm build` leaves.
    exclude: { path: '^(packages|apps|proof)/[^/]+/dist/' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
}
