module grantkit.test/github-cli

go 1.21

require github.com/cli/oauth v1.2.2
