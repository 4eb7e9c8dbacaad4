/**
 * Three ways to share a port among processes, for ADR 74: `node:cluster` with round robin, `node:cluster` with one listening
 * socket in all workers, and SO_REUSEPORT. `node ports.ts` prints how 16 connections are distributed, how many connections a
 * second are accepted, and what a process that stands still or is killed costs.
 */
import { type ChildProcess, fork } from 'node:child_process'
import cluster from 'node:cluster'
import { Agent, createServer, get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

type Way = 'roundRobin' | 'shared' | 'reusePort'

const WORKERS = 2
const PORTS = { roundRobin: 21_500, reusePort: 21_501, shared: 21_502 }
const ROUNDS = 5

const [, , role, way] = process.argv as [string, string, string?, Way?]
if (cluster.isWorker || role === 'worker') serve(way ?? 'shared')
else if (role === 'primary') forkWorkers(way ?? 'shared')
else await compare()

/** Responds with its process id. The stop is the usual one: no new connection, then the pending responses. */
function serve(chosen: Way): void {
  const server = createServer((_request, response) => response.end(String(process.pid)))
  server.listen({ port: PORTS[chosen], host: '127.0.0.1', reusePort: chosen === 'reusePort', backlog: 511 })
  process.once('SIGTERM', () => server.close(() => process.exit(0)))
}

function forkWorkers(chosen: Way): void {
  cluster.schedulingPolicy = chosen === 'shared' ? cluster.SCHED_NONE : cluster.SCHED_RR
  cluster.setupPrimary({ args: ['worker', chosen] })
  for (let n = 0; n < WORKERS; n++) cluster.fork()
  cluster.on('exit', () => cluster.fork())
  process.once('SIGTERM', () => process.exit(0))
}

async function compare(): Promise<void> {
  const file = import.meta.filename
  const running: ChildProcess[] = [
    fork(file, ['primary', 'roundRobin']),
    fork(file, ['primary', 'shared']),
    ...Array.from({ length: WORKERS }, () => fork(file, ['worker', 'reusePort'])),
  ]
  const ways: readonly Way[] = ['roundRobin', 'shared', 'reusePort']
  for (const each of ways) while ((await answer(each)) === undefined) await sleep(100)
  for (const each of ways) {
    const shares: number[] = []
    for (let n = 0; n < ROUNDS; n++) shares.push(await shareOfKeptConnections(each))
    console.log(each, 'of 16 connections at once, the process with most has', shares.join(', '))
    const calm: number[] = []
    for (let n = 0; n < ROUNDS; n++) calm.push(await shareOfKeptConnections(each, 20))
    console.log(each, 'of 16 connections one by one, the process with most has', calm.join(', '))
  }
  for (let n = 0; n < ROUNDS; n++) {
    const rates: number[] = []
    for (const each of ways) rates.push(await connectionsPerSecond(each))
    console.log('connections a second', ways.map((each, at) => `${each} ${rates[at]}`).join(', '))
  }
  for (const each of ways) console.log(each, 'while one process stands still:', await lossesOfStall(each))
  for (const each of ways) console.log(each, await lossesOfKills(each))
  for (const child of running) child.kill()
  process.exit()
}

/** Process id of the answer. */
function answer(chosen: Way, agent?: Agent): Promise<string | undefined> {
  return new Promise((resolve) => {
    const request = get(
      { port: PORTS[chosen], host: '127.0.0.1', agent: agent ?? false },
      async (response) => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve(text)
      },
    )
    request.on('error', () => resolve(undefined))
  })
}

/** @param pause milliseconds between two connections; 0: all at once */
async function shareOfKeptConnections(chosen: Way, pause = 0): Promise<number> {
  const agents = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const pids = await Promise.all(
    agents.map(async (agent, n) => {
      await sleep(n * pause)
      return answer(chosen, agent)
    }),
  )
  for (const agent of agents) agent.destroy()
  const counts = Object.values(Object.groupBy(pids, (pid) => pid ?? '')).map((list) => list?.length ?? 0)
  return Math.max(...counts)
}

async function connectionsPerSecond(chosen: Way): Promise<number> {
  const end = performance.now() + 1000
  let count = 0
  const client = async () => {
    while (performance.now() < end) if ((await answer(chosen)) !== undefined) count++
  }
  await Promise.all(Array.from({ length: 16 }, client))
  return count
}

/** A new connection for each request, while processes are killed. Nobody starts those of SO_REUSEPORT again. */
async function lossesOfKills(chosen: Way): Promise<string> {
  const kills = chosen === 'reusePort' ? 1 : 5
  let [sent, lost, pending] = [0, 0, 0]
  let done = false
  const client = async () => {
    while (!done) {
      sent++
      pending++
      if ((await answer(chosen)) === undefined) lost++
      pending--
    }
  }
  const clients = Promise.all(Array.from({ length: 16 }, client))
  for (let n = 0; n < kills; n++) {
    await sleep(2000)
    process.kill(Number(await answer(chosen)), 'SIGKILL')
  }
  await sleep(2000)
  done = true
  await Promise.race([clients, sleep(5000)])
  return `${kills} kills: ${lost} of ${sent} lost, ${pending} without an answer or an end`
}

/** A process whose event loop is busy for long accepts nothing. */
async function lossesOfStall(chosen: Way): Promise<string> {
  const pid = Number(await answer(chosen))
  process.kill(pid, 'SIGSTOP')
  const answers = Array.from({ length: 200 }, () =>
    Promise.race([answer(chosen), sleep(2000, undefined, { ref: false })]),
  )
  const late = (await Promise.all(answers)).filter((text) => text === undefined)
  process.kill(pid, 'SIGCONT')
  await sleep(1000)
  return `${late.length} of 200 connections without an answer for two seconds`
}
