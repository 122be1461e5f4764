// Package k8s tests the manifests: kustomize renders them, and the decoder of the API server reads
// them, which takes a field that it does not know for an error.
package k8s

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// roots are what somebody applies.
var roots = []string{"base", "overlays/postgres", "overlays/big", "batch"}

// decoder returns the strict decoder for the kinds of objects that are used here.
func decoder(t *testing.T) runtime.Decoder {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apps.AddToScheme, autoscaling.AddToScheme, batch.AddToScheme, core.AddToScheme,
		networking.AddToScheme, policy.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// render returns the objects that kubectl apply -k would send.
func render(t *testing.T, root string) []runtime.Object {
	t.Helper()
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), root)
	if err != nil {
		t.Fatal(err)
	}
	decode := decoder(t)
	var objects []runtime.Object
	for _, resource := range resources.Resources() {
		text, err := resource.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		object, _, err := decode.Decode(text, nil, nil)
		if err != nil {
			t.Errorf("%s: %v", resource.CurId(), err)
			continue
		}
		objects = append(objects, object)
	}
	if len(objects) == 0 {
		t.Fatalf("%s has no object", root)
	}
	return objects
}

// all returns the objects of one type.
func all[T runtime.Object](objects []runtime.Object) (found []T) {
	for _, object := range objects {
		if o, ok := object.(T); ok {
			found = append(found, o)
		}
	}
	return found
}

// A workload is a template of pods and what runs it.
type workload struct {
	name string
	core.PodTemplateSpec
}

func workloads(objects []runtime.Object) (found []workload) {
	for _, o := range all[*apps.Deployment](objects) {
		found = append(found, workload{o.Name, o.Spec.Template})
	}
	for _, o := range all[*batch.Job](objects) {
		found = append(found, workload{o.Name, o.Spec.Template})
	}
	return found
}

// TestStrict: the decoder of the tests below names a field that is misspelt.
func TestStrict(t *testing.T) {
	bad := "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {selecter: {app: a}}\n"
	if _, _, err := decoder(t).Decode([]byte(bad), nil, nil); err == nil || !strings.Contains(err.Error(), "selecter") {
		t.Errorf("%v", err)
	}
}

// TestPods: every container is confined, its memory is its own, and no image can change unnoticed.
func TestPods(t *testing.T) {
	for _, root := range roots {
		for _, w := range workloads(render(t, root)) {
			t.Run(root+" "+w.name, func(t *testing.T) {
				pod := w.Spec.SecurityContext
				if pod == nil || pod.RunAsNonRoot == nil || !*pod.RunAsNonRoot ||
					pod.SeccompProfile == nil || pod.SeccompProfile.Type != core.SeccompProfileTypeRuntimeDefault {
					t.Errorf("securityContext %v", pod)
				}
				if token := w.Spec.AutomountServiceAccountToken; token == nil || *token {
					t.Error("it has a token for the API server, which it does not need")
				}
				for _, c := range w.Spec.Containers {
					s := c.SecurityContext
					if s == nil || s.ReadOnlyRootFilesystem == nil || !*s.ReadOnlyRootFilesystem ||
						s.AllowPrivilegeEscalation == nil || *s.AllowPrivilegeEscalation ||
						s.Capabilities == nil || !slices.Equal(s.Capabilities.Drop, []core.Capability{"ALL"}) {
						t.Errorf("%s: securityContext %v", c.Name, s)
					}
					request, limit := c.Resources.Requests[core.ResourceMemory], c.Resources.Limits[core.ResourceMemory]
					if request.IsZero() || request.Cmp(limit) != 0 {
						t.Errorf("%s: of memory it requests %s, and its limit is %s", c.Name, &request, &limit)
					}
					checkMemoryFlag(t, c.Args, limit.Value())
					ours := strings.HasPrefix(c.Image, "registry.example.org/tsumero")
					if !ours && !strings.Contains(c.Image, "@sha256:") {
						t.Errorf("image %s has no digest", c.Image)
					}
					checkMounts(t, &w.Spec, &c)
				}
			})
		}
	}
}

// checkMemoryFlag wants --memory to be the limit less 15 %, which are for what is not in tables.
func checkMemoryFlag(t *testing.T, args []string, limit int64) {
	t.Helper()
	for _, arg := range args {
		value, ok := strings.CutPrefix(arg, "--memory=")
		if !ok {
			continue
		}
		mib, err := strconv.ParseInt(strings.TrimSuffix(value, "MiB"), 10, 64)
		if share := float64(mib<<20) / float64(limit); err != nil || share < 0.845 || share > 0.855 {
			t.Errorf("--memory=%s is %.1f %% of the limit, want 85 (%v)", value, 100*share, err)
		}
	}
}

// checkMounts wants every mount of a container to be of a volume of its pod.
func checkMounts(t *testing.T, pod *core.PodSpec, c *core.Container) {
	t.Helper()
	for _, m := range c.VolumeMounts {
		named := slices.ContainsFunc(pod.Volumes, func(v core.Volume) bool { return v.Name == m.Name })
		if !named {
			t.Errorf("%s mounts %s, which the pod does not have", c.Name, m.Name)
		}
	}
}

// TestSelectors: whatever selects pods selects some; whatever names an object names one there is.
func TestSelectors(t *testing.T) {
	for _, root := range roots {
		t.Run(root, func(t *testing.T) {
			objects := render(t, root)
			pods := workloads(objects)
			check := func(kind, name string, s *meta.LabelSelector) {
				selector, err := meta.LabelSelectorAsSelector(s)
				if err != nil {
					t.Errorf("%s %s: %v", kind, name, err)
					return
				}
				if !slices.ContainsFunc(pods, func(w workload) bool { return selector.Matches(labels.Set(w.Labels)) }) {
					t.Errorf("%s %s selects no pod", kind, name)
				}
			}
			for _, o := range all[*core.Service](objects) {
				check("Service", o.Name, &meta.LabelSelector{MatchLabels: o.Spec.Selector})
			}
			for _, o := range all[*policy.PodDisruptionBudget](objects) {
				check("PodDisruptionBudget", o.Name, o.Spec.Selector)
			}
			for _, o := range all[*networking.NetworkPolicy](objects) {
				check("NetworkPolicy", o.Name, &o.Spec.PodSelector)
			}
			for _, o := range all[*apps.Deployment](objects) {
				check("Deployment", o.Name, o.Spec.Selector)
			}
			for _, o := range all[*autoscaling.HorizontalPodAutoscaler](objects) {
				target := o.Spec.ScaleTargetRef
				if !slices.ContainsFunc(all[*apps.Deployment](objects), func(d *apps.Deployment) bool {
					return target.Kind == "Deployment" && d.Name == target.Name
				}) {
					t.Errorf("HorizontalPodAutoscaler %s: there is no %s %s", o.Name, target.Kind, target.Name)
				}
			}
		})
	}
}

// TestPostgres: services and workers have the address of the database in a file, each that of its role,
// and whoever may be in a long search has the time to save it.
func TestPostgres(t *testing.T) {
	for _, w := range append(workloads(render(t, "overlays/postgres")), workloads(render(t, "overlays/big"))...) {
		c := w.Spec.Containers[0]
		if !slices.Contains(c.Env, core.EnvVar{Name: "TSUMERO_JOBS_FILE", Value: "/etc/jobs/uri"}) {
			t.Errorf("%s does not know the database: %v", w.name, c.Env)
		}
		for _, v := range w.Spec.Volumes {
			if v.Name == "jobs" && (v.Secret == nil || v.Secret.SecretName != "jobs-"+c.Args[0]) {
				t.Errorf("%s has the address from %v", w.name, v.VolumeSource)
			}
		}
		if grace := *w.Spec.TerminationGracePeriodSeconds; c.Args[0] == "worker" && grace != 120 {
			t.Errorf("%s has %d s to end", w.name, grace)
		}
	}
}

// TestDatabase: no loss of one machine loses a job, and the roles are those of roles.sql. The API server
// has no type for what an operator reads, so that fields are not checked.
func TestDatabase(t *testing.T) {
	resources, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "database")
	if err != nil {
		t.Fatal(err)
	}
	text, err := resources.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	var cluster struct {
		Spec struct {
			Instances  int
			PostgreSQL struct{ Synchronous struct{ Number int } }
			Affinity   struct{ PodAntiAffinityType string }
			Bootstrap  struct {
				InitDB struct{ PostInitApplicationSQL []string }
			}
		}
	}
	if err := yaml.Unmarshal(text, &cluster); err != nil {
		t.Fatal(err)
	}
	spec := cluster.Spec
	if spec.Instances != 3 || spec.PostgreSQL.Synchronous.Number != 1 || spec.Affinity.PodAntiAffinityType != "required" {
		t.Errorf("%d instances, %d of them synchronous, apart: %q", spec.Instances, spec.PostgreSQL.Synchronous.Number,
			spec.Affinity.PodAntiAffinityType)
	}
	var want []string
	for line := range strings.Lines(read(t, "../postgres/roles.sql")) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "alter ") || strings.HasPrefix(line, "revoke ") || strings.HasPrefix(line, "grant ") {
			want = append(want, strings.TrimSuffix(line, ";"))
		}
	}
	if got := spec.Bootstrap.InitDB.PostInitApplicationSQL; len(want) == 0 || !slices.Equal(got[1:], want) {
		t.Errorf("the rights are\n%q\nand those of roles.sql\n%q", got, want)
	}
}

// TestBig: nobody moves a worker that is in a search of hours.
func TestBig(t *testing.T) {
	for _, o := range all[*apps.Deployment](render(t, "overlays/big")) {
		for key, want := range map[string]string{
			"cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
			"karpenter.sh/do-not-disrupt":                    "true",
		} {
			if got := o.Spec.Template.Annotations[key]; got != want {
				t.Errorf("%s: %s is %q, want %q", o.Name, key, got, want)
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
