import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { freePort } from './free-port.ts'
import { type StartedProgram, startProgram } from './started-program.ts'
import { bundleWorker } from './worker-bundle.ts'

export interface WorkerOptions {
  /** Texts that it finds in its environment. */
  readonly bindings?: Readonly<Record<string, string>>
  /** The name of one more, which has the URL of the Worker. */
  readonly issuer?: string
  /** Bindings of its classes of Durable Objects, with SQLite. */
  readonly durableObjects?: Readonly<Record<string, string>>
  readonly compatibilityFlags?: readonly string[]
  /** A service of workerd's configuration, to which its connections and its `fetch` lead. Default: this machine. */
  readonly outbound?: string
}

/** Any address of this machine, for connections to a database. */
const THIS_MACHINE = 'network = (allow = ["private"])'

/** The first one with `nodejs_compat` by default, so with the modules of Node that clients of databases import. */
const COMPATIBILITY_DATE = '2026-08-04'

/**
 * Runs a Worker in workerd, the runtime of Cloudflare Workers, on a free loopback port.
 *
 * @param entry the path of its module
 */
export async function startWorker(entry: string, options: WorkerOptions = {}): Promise<StartedProgram> {
  const folder = await mkdtemp(join(tmpdir(), 'grantkit-worker-'))
  const PORT = String(await freePort())
  await mkdir(join(folder, 'objects'))
  await bundleWorker(entry, join(folder, 'worker.js'))
  await writeFile(join(folder, 'config.capnp'), configuration(PORT, options))
  const program = await startProgram(`exec '${executable()}' serve config.capnp`, folder, { PORT })
  const close = async () => {
    await program.close()
    await rm(folder, { recursive: true })
  }
  // It listens before it has run the module, and ends if that throws.
  await fetch(program.url).catch(async (cause) => {
    const output = program.output()
    await close()
    throw new Error(`The Worker does not run: ${output}`, { cause })
  })
  return { ...program, close }
}

function configuration(
  port: string,
  {
    bindings = {},
    issuer,
    durableObjects = {},
    compatibilityFlags = [],
    outbound = THIS_MACHINE,
  }: WorkerOptions,
): string {
  const own = issuer === undefined ? {} : { [issuer]: `http://127.0.0.1:${port}` }
  const texts = Object.entries({ ...bindings, ...own }).map(
    ([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`,
  )
  const objects = Object.entries(durableObjects).map(
    ([name, className]) => `(name = "${name}", durableObjectNamespace = "${className}")`,
  )
  const classes = Object.values(durableObjects).map(
    (name) => `(className = "${name}", uniqueKey = "${name}", enableSql = true)`,
  )
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = (
      modules = [(name = "worker", esModule = embed "worker.js")],
      compatibilityDate = "${COMPATIBILITY_DATE}",
      compatibilityFlags = ${JSON.stringify(compatibilityFlags)},
      bindings = [${[...texts, ...objects].join(', ')}],
      durableObjectNamespaces = [${classes.join(', ')}],
      durableObjectStorage = (localDisk = "objects"),
      globalOutbound = "outbound",
    )),
    (name = "outbound", ${outbound}),
    (name = "objects", disk = (path = "objects", writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);`
}

const require = createRequire(import.meta.url)

/** It is in a package per platform; only the one for this platform is installed. */
function executable(): string {
  const manifest = require.resolve('workerd/package.json')
  const { optionalDependencies } = require(manifest) as { optionalDependencies: Record<string, string> }
  const { resolve } = createRequire(manifest)
  for (const platform of Object.keys(optionalDependencies)) {
    try {
      return join(dirname(resolve(`${platform}/package.json`)), 'bin/workerd')
    } catch {}
  }
  throw new Error('workerd has no program for this platform')
}
