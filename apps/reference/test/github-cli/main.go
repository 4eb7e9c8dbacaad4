// Signs in by a device code as GitHub's command line does. Prints the user code, then the tokens.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"

	"github.com/cli/oauth/device"
)

func main() {
	endpoint, tokenEndpoint, clientID := os.Args[1], os.Args[2], os.Args[3]
	code, err := device.RequestCode(http.DefaultClient, endpoint, clientID, []string{"openid", "courses:read"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(code.VerificationURI, code.UserCode)
	options := device.WaitOptions{ClientID: clientID, DeviceCode: code}
	tokens, err := device.Wait(context.Background(), http.DefaultClient, tokenEndpoint, options)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(tokens); err != nil {
		log.Fatal(err)
	}
}
