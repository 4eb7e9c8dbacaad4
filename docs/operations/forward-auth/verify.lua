-- Asks the service about a request. HAProxy looks names up by its own resolvers, so this is an address. The path of the
-- service's BASE_URL, if it has one, stands before /api.
local VERIFY = "http://127.0.0.1:3000/api/oauth/verify?scope=courses:read"

local KEPT = {
  ["txn.challenge"] = "www-authenticate",
  ["txn.subject"] = "x-auth-subject",
  ["txn.client"] = "x-auth-client",
  ["txn.scope"] = "x-auth-scope",
  ["txn.nonce"] = "dpop-nonce",
}

core.register_action("verify", { "http-req" }, function(txn)
  local asked = { ["x-forwarded-for"] = { txn.sf:src() } }
  local headers = txn.http:req_get_headers()
  asked["authorization"] = headers["authorization"]
  -- A proof, and the request that it is for.
  asked["dpop"] = headers["dpop"]
  asked["x-forwarded-method"] = { txn.sf:method() }
  asked["x-forwarded-uri"] = { txn.sf:path() }
  local answer = core.httpclient():get({ url = VERIFY, headers = asked, timeout = 2000 })
  for variable, header in pairs(KEPT) do
    local values = answer.headers[header]
    if values then txn:set_var(variable, values[0]) end
  end
  txn:set_var("txn.status", answer.status)
end)
