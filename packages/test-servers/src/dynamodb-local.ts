import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { folderInMemory } from './folder-in-memory.ts'

/** A server with the API of DynamoDB, for one test. */
export interface DynamoServer {
  readonly port: number
  readonly endpoint: string
  close(): Promise<void>
}

const VERSION = '2.6.1'
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/dynamodb-local/', import.meta.url))
const RELAY = fileURLToPath(new URL('unix-socket-relay.ts', import.meta.url))
/** Any port: there are no others in its namespace. */
const PORT = 8000

const COMMANDS = [
  ['java', '-version'],
  ['mvn', '--version'],
  ['unshare', '-rn', 'true'],
  ['ip', '-V'],
] as const

/** Whether this host can install and start DynamoDB Local. Languages and their tools are not installed for a test. */
export function hasDynamoLocal(): boolean {
  const missing = COMMANDS.filter(([command, ...args]) => spawnSync(command, args).status !== 0)
  if (missing.length > 0) console.warn(`DynamoDB Local is not run: it needs ${missing.join('; ')}.`)
  return missing.length === 0
}

/**
 * Starts DynamoDB Local with its tables in memory. It listens on all addresses, and no option limits it, so it has a network
 * namespace of its own: this process reaches it through a Unix socket, and no other machine does.
 */
export async function startDynamoLocal(): Promise<DynamoServer> {
  const jars = await installed()
  const folder = await folderInMemory('dynamodb')
  const socket = join(folder, 'socket')
  const program = spawn('unshare', ['-rn', 'sh', '-ec', LINE, 'sh', process.execPath, RELAY, socket, jars], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  })
  const output = outputOf(program)
  const { port, close } = await relayTo(socket)
  while (!(await answers(port))) {
    if (program.exitCode !== null) throw new Error(`DynamoDB Local ended early and printed:\n${output()}`)
    await sleep(100)
  }
  return {
    port,
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      await ended(program)
      await close()
      await rm(folder, { recursive: true })
    },
  }
}

const JAVA = '-Xmx256m -XX:+UseSerialGC'
/** A shell gives a program in the background no input, and the end of the input is what ends the relay. */
const LINE = `ip link set lo up
exec 3<&0
"$1" "$2" "$3" ${PORT} <&3 &
exec java ${JAVA} -Djava.library.path="$4" -cp "$4/*" com.amazonaws.services.dynamodbv2.local.main.ServerRunner \
  -inMemory -port ${PORT} -disableTelemetry`

/** @returns the folder of its jars, which Maven copies once */
async function installed(): Promise<string> {
  const folder = join(CACHE, VERSION)
  if (existsSync(folder)) return folder
  const building = `${folder}.${process.pid}`
  await mkdir(building, { recursive: true })
  await writeFile(join(building, 'pom.xml'), POM)
  const copy = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${join(building, 'jars')}`]
  await promisify(execFile)('mvn', copy, { cwd: building })
  await rename(join(building, 'jars'), folder).catch((error) => {
    // Another process was quicker.
    if (!existsSync(folder)) throw error
  })
  await rm(building, { recursive: true })
  return folder
}

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId>
  <artifactId>dynamodb-local</artifactId>
  <version>1</version>
  <dependencies>
    <dependency>
      <groupId>com.amazonaws</groupId>
      <artifactId>DynamoDBLocal</artifactId>
      <version>${VERSION}</version>
    </dependency>
  </dependencies>
</project>
`

function outputOf({ stdout, stderr }: ChildProcess): () => string {
  let output = ''
  for (const stream of [stdout, stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  return () => output
}

/** A loopback port for a Unix socket. */
async function relayTo(path: string): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer((client) => {
    const upstream = connect(path)
    client.pipe(upstream).pipe(client)
    client.on('error', () => upstream.destroy())
    upstream.on('error', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { port, close: () => new Promise((closed) => void server.close(() => closed())) }
}

/** It answers a request without credentials with an error of its own. */
function answers(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}`, { method: 'POST' }).then(
    () => true,
    () => false,
  )
}

async function ended(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null) return
  const exit = once(program, 'exit')
  process.kill(-(program.pid ?? 0), 'SIGKILL')
  await exit
}
