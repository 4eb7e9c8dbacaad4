import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { programOf } from './program-of.ts'
import { type StartedProgram, startProgram } from './started-program.ts'
import { bundleWorker } from './worker-bundle.ts'

export interface WorkerOptions {
  /** Texts that it finds in its environment. */
  readonly bindings?: Readonly<Record<string, string>>
  /** The name of one more, which has the URL of the Worker. */
  readonly issuer?: string
  /** Bindings of its classes of Durable Objects, with SQLite. */
  readonly durableObjects?: Readonly<Record<string, string>>
  /** Default: the first one with `nodejs_compat` by default, so with the modules of Node that clients of databases import. */
  readonly compatibilityDate?: string
  readonly compatibilityFlags?: readonly string[]
  /** A service of workerd's configuration, to which its connections and its `fetch` lead. Default: this machine. */
  readonly outbound?: string
}

/** Any address of this machine, for connections to a database. */
const THIS_MACHINE = 'network = (allow = ["private"])'

/** From this date `nodejs_compat` is the default. */
const NODE_BY_DEFAULT = '2026-08-04'

/** Its version has the day from which it knows no later date: `1.20261117.1`. */
export function newestCompatibilityDate(): string {
  const { version } = createRequire(import.meta.url)('workerd/package.json') as { version: string }
  return version.replace(/^\d+\.(\d{4})(\d{2})(\d{2})\..*/, '$1-$2-$3')
}

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
  const workerd = programOf('workerd', 'bin/workerd', import.meta.url)
  const program = await startProgram(`exec '${workerd}' serve config.capnp`, folder, { PORT })
  const close = async () => {
    await program.close()
    await rm(folder, { recursive: true })
  }
  return { ...program, close }
}

function configuration(
  port: string,
  {
    bindings = {},
    issuer,
    durableObjects = {},
    compatibilityDate = NODE_BY_DEFAULT,
    compatibilityFlags = compatibilityDate < NODE_BY_DEFAULT ? ['nodejs_compat'] : [],
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
      compatibilityDate = "${compatibilityDate}",
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
