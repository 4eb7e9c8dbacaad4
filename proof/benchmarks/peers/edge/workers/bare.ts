/** The least that a token endpoint does: it reads a form, and answers with as many bytes. */
export default {
  async fetch(request: Request): Promise<Response> {
    if (request.method !== 'POST') return Response.json({})
    const form = new URLSearchParams(await request.text())
    return Response.json(
      {
        access_token: 'a'.repeat(88),
        token_type: 'Bearer',
        expires_in: 3600,
        refresh_token: form.get('refresh_token'),
        scope: 'notes:read',
      },
      { headers: { 'cache-control': 'no-store' } },
    )
  },
}
