// Renders a Helm chart's templates as `helm template` does: Go's text/template with sprig's functions and Helm's `include` and
// `toYaml` (https://helm.sh/docs/chart_template_guide/function_list/). It knows no other function of Helm's, so that a chart that uses
// one fails here. Debian has the packages: golang-go golang-github-masterminds-sprig-dev golang-k8s-sigs-yaml-dev.
//
//	GO111MODULE=off GOPATH=/usr/share/gocode go run render-chart.go CHART RELEASE < values as JSON
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func main() {
	chart, release := os.Args[1], os.Args[2]
	var values map[string]interface{}
	check(json.NewDecoder(os.Stdin).Decode(&values))
	var about map[string]interface{}
	text, err := os.ReadFile(filepath.Join(chart, "Chart.yaml"))
	check(err)
	check(yaml.Unmarshal(text, &about))

	root := template.New("chart").Option("missingkey=error")
	functions := sprig.TxtFuncMap()
	// Helm has neither: a chart must not read the environment of the machine that renders it.
	delete(functions, "env")
	delete(functions, "expandenv")
	functions["include"] = func(name string, data interface{}) (string, error) {
		var out strings.Builder
		err := root.ExecuteTemplate(&out, name, data)
		return out.String(), err
	}
	functions["toYaml"] = func(value interface{}) (string, error) {
		text, err := yaml.Marshal(value)
		return strings.TrimSuffix(string(text), "\n"), err
	}
	root.Funcs(functions)

	files, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	check(err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check(err)
		_, err = root.New(filepath.Base(file)).Parse(string(text))
		check(err)
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Release": map[string]interface{}{"Name": release, "Namespace": "default", "Service": "Helm"},
	}
	for _, file := range files {
		if strings.HasPrefix(filepath.Base(file), "_") {
			continue
		}
		fmt.Printf("---\n# Source: %s\n", filepath.Base(file))
		check(root.ExecuteTemplate(os.Stdout, filepath.Base(file), data))
		fmt.Println()
	}
}
