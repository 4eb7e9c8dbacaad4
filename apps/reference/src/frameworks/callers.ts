import type { Server } from 'node:http'

/**
 * Asks each connection for its address at once: Node keeps what it was told, and the system forgets the address when
 * the peer resets the connection.
 */
export function rememberCallers(server: Server): void {
  server.on('connection', (socket) => void socket.remoteAddress)
}
