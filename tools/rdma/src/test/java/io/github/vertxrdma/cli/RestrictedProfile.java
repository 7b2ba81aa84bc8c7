package io.github.vertxrdma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Checks a pod against the profile {@code restricted} of Kubernetes 1.30:
 * https://kubernetes.io/docs/concepts/security/pod-security-standards/.
 */
final class RestrictedProfile {
  private static final Set<String> VOLUMES = Set.of("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "persistentVolumeClaim",
    "projected", "secret");
  private static final Set<String> SECCOMP = Set.of("RuntimeDefault", "Localhost");

  private RestrictedProfile() {
  }

  static List<String> violations(Map<String, Object> pod) {
    List<String> wrong = new ArrayList<>();
    for (String host : List.of("hostNetwork", "hostPID", "hostIPC")) {
      if (Boolean.TRUE.equals(pod.get(host))) {
        wrong.add(host);
      }
    }
    for (Map<String, Object> volume : maps(pod.get("volumes"))) {
      volume.keySet().stream().filter(key -> !key.equals("name") && !VOLUMES.contains(key))
        .forEach(key -> wrong.add("volume of type " + key));
    }
    Map<String, Object> ofPod = map(pod.get("securityContext"));
    List<Map<String, Object>> containers = new ArrayList<>(maps(pod.get("containers")));
    containers.addAll(maps(pod.get("initContainers")));
    containers.forEach(container -> check(container, ofPod, wrong));
    return wrong;
  }

  private static void check(Map<String, Object> container, Map<String, Object> ofPod, List<String> wrong) {
    Map<String, Object> own = map(container.get("securityContext"));
    String name = container.get("name") + ": ";
    if (!Boolean.FALSE.equals(own.get("allowPrivilegeEscalation"))) {
      wrong.add(name + "allowPrivilegeEscalation");
    }
    if (Boolean.TRUE.equals(own.get("privileged"))) {
      wrong.add(name + "privileged");
    }
    Map<String, Object> capabilities = map(own.get("capabilities"));
    if (!list(capabilities.get("drop")).contains("ALL")) {
      wrong.add(name + "capabilities are not dropped");
    }
    if (!Set.of("NET_BIND_SERVICE").containsAll(list(capabilities.get("add")))) {
      wrong.add(name + "capabilities " + capabilities.get("add"));
    }
    if (!Boolean.TRUE.equals(own.getOrDefault("runAsNonRoot", ofPod.get("runAsNonRoot")))) {
      wrong.add(name + "runAsNonRoot");
    }
    if (Integer.valueOf(0).equals(own.getOrDefault("runAsUser", ofPod.get("runAsUser")))) {
      wrong.add(name + "runAsUser 0");
    }
    if (!SECCOMP.contains(String.valueOf(map(own.getOrDefault("seccompProfile", ofPod.get("seccompProfile"))).get("type")))) {
      wrong.add(name + "seccompProfile");
    }
    for (Map<String, Object> port : maps(container.get("ports"))) {
      if (port.containsKey("hostPort")) {
        wrong.add(name + "hostPort");
      }
    }
  }

  @SuppressWarnings("unchecked")
  static Map<String, Object> map(Object value) {
    return value == null ? Map.of() : (Map<String, Object>) value;
  }

  @SuppressWarnings("unchecked")
  static List<Map<String, Object>> maps(Object value) {
    return value == null ? List.of() : (List<Map<String, Object>>) value;
  }

  static List<?> list(Object value) {
    return value == null ? List.of() : (List<?>) value;
  }
}
