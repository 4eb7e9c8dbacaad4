import { peerWorker } from './workers-oauth-provider.ts'

export default peerWorker()
