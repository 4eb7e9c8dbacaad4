/** Serves a TCP port of this network namespace at a Unix socket, which a process outside reaches by the file system. */
import { connect, createServer } from 'node:net'

const [path, port] = process.argv.slice(2)
createServer((outside) => {
  const inside = connect(Number(port), '127.0.0.1')
  outside.pipe(inside).pipe(outside)
  outside.on('error', () => inside.destroy())
  inside.on('error', () => outside.destroy())
}).listen(path)

// The tests hold the other end. If they crash, the server, which is the parent of this process, must end, too.
process.stdin.resume().on('end', () => {
  process.kill(process.ppid)
  process.exit()
})
