import { authorizationServer, protect } from '@grantkit/adapter-express'
import express from 'express'
import { api, port, server } from './server.ts'

const app = express()
app.use(authorizationServer(server))
app.use(express.json())

app.get('/notes', protect(api, 'notes:read'), (_req, res) => {
  res.json([`a note of ${res.locals.auth.token.subject}`])
})

app.listen(port, '127.0.0.1', (error) => {
  if (error) {
    console.error(`${error.message}. Set PORT`)
    process.exit(1)
  }
  console.log(`Notes at http://127.0.0.1:${port}/notes`)
})
