{{/* The names of all engines that there can be, separated by commas. */}}
{{- define "antiphon.engines" -}}
{{- $media := .Values.media }}
{{- $last := ternary $media.autoscaling.maxReplicas $media.replicas $media.autoscaling.enabled }}
{{- $names := list }}
{{- range $ordinal := until (int $last) }}
{{- $names = append $names (printf "%s-media-%d" $.Release.Name $ordinal) }}
{{- end }}
{{- join "," $names }}
{{- end }}

{{/* What browsers may connect to, for the page's policy. */}}
{{- define "antiphon.engineOrigins" -}}
{{- $origins := list }}
{{- range $name := include "antiphon.engines" . | splitList "," }}
{{- $origins = append $origins (printf "wss://%s.%s" $name $.Values.media.engineDomain) }}
{{- end }}
{{- join "," $origins }}
{{- end }}
