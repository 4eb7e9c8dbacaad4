import type { Server } from 'node:http'

/**
 * Reads the address of each connection at once: Node caches it, and the system loses it when the peer resets the
 * connection.
 */
export function rememberCallers(server: Server): void {
  server.on('connection', (socket) => void socket.remoteAddress)
}
