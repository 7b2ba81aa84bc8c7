package io.github.vertxrdma.cli;

import static io.github.vertxrdma.cli.RestrictedProfile.list;
import static io.github.vertxrdma.cli.RestrictedProfile.map;
import static io.github.vertxrdma.cli.RestrictedProfile.maps;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A pod of a StatefulSet, played by a Docker container. Needs root, as the kubelet does. */
final class PlayedPod implements AutoCloseable {
  private final DockerEngine docker;
  private final String container;
  private final String address;
  private final Map<String, Object> spec;
  private final Thread prober;
  private final Queue<String> deaths = new ConcurrentLinkedQueue<>();
  private volatile String unready = "it has not started";

  record Cluster(DockerEngine docker, String network, Map<String, Map<String, Object>> configs, Map<String, Map<String, String>> secrets,
    Path folder) {
  }

  PlayedPod(Cluster cluster, String name, String service, String address, Map<String, Object> spec) throws Exception {
    this.docker = cluster.docker;
    this.address = address;
    this.spec = map(maps(spec.get("containers")).getFirst());
    List<String> run = new ArrayList<>(List.of("run", "-d", "--no-healthcheck", "--network", cluster.network, "--ip", address, "--hostname",
      name, "--network-alias", name + "." + service));
    security(run, map(spec.get("securityContext")), map(this.spec.get("securityContext")));
    Map<String, Object> limits = map(map(this.spec.get("resources")).get("limits"));
    run.addAll(List.of("--cpus", limits.get("cpu").toString(), "--memory", limits.get("memory").toString().replace("Mi", "m")));
    Path own = Files.createTempDirectory(cluster.folder, name);
    Map<String, Path> volumes = new HashMap<>();
    int group = (Integer) map(spec.get("securityContext")).get("fsGroup");
    for (Map<String, Object> volume : maps(spec.get("volumes"))) {
      volumes.put((String) volume.get("name"), volume(cluster, volume, own.resolve((String) volume.get("name")), group));
    }
    maps(this.spec.get("volumeMounts")).forEach(mount -> run.addAll(List.of("-v", volumes.get(mount.get("name")) + ":" + mount.get(
      "mountPath") + (Boolean.TRUE.equals(mount.get("readOnly")) ? ":ro" : ""))));
    maps(this.spec.get("envFrom")).forEach(from -> cluster.configs.get(map(from.get("configMapRef")).get("name")).forEach((key, value) -> {
      if (key.matches("\\w+")) {
        run.addAll(List.of("-e", key + "=" + value));
      }
    }));
    for (Map<String, Object> variable : maps(this.spec.get("env"))) {
      String field = (String) map(map(variable.get("valueFrom")).get("fieldRef")).get("fieldPath");
      run.addAll(List.of("-e", variable.get("name") + "=" + switch (field) {
        case null -> variable.get("value");
        case "metadata.name" -> name;
        case "status.podIP" -> address;
        default -> throw new IllegalArgumentException("the field " + field + " is not played");
      }));
    }
    run.add((String) this.spec.get("image"));
    container = docker.docker(run.toArray(String[]::new)).strip();
    prober = Thread.ofVirtual().start(this::probe);
  }

  private static void security(List<String> run, Map<String, Object> ofPod, Map<String, Object> own) {
    run.addAll(List.of("--user", ofPod.get("runAsUser") + ":" + ofPod.get("runAsGroup"), "--group-add", ofPod.get("fsGroup").toString()));
    if (Boolean.TRUE.equals(own.get("readOnlyRootFilesystem"))) {
      run.add("--read-only");
    }
    if (Boolean.FALSE.equals(own.get("allowPrivilegeEscalation"))) {
      run.addAll(List.of("--security-opt", "no-new-privileges"));
    }
    list(map(own.get("capabilities")).get("drop")).forEach(capability -> run.addAll(List.of("--cap-drop", capability.toString())));
  }

  private static Path volume(Cluster cluster, Map<String, Object> volume, Path folder, int group) throws IOException {
    Files.createDirectory(folder);
    if (volume.get("hostPath") != null) {
      return cluster.folder.resolve(map(volume.get("hostPath")).get("path").toString().substring(1));
    }
    Map<String, Object> config = map(volume.get("configMap"));
    Map<String, Object> secret = map(volume.get("secret"));
    if (!config.isEmpty()) {
      for (Map<String, Object> item : maps(config.get("items"))) {
        project(folder, (String) item.get("path"), (String) cluster.configs.get(config.get("name")).get(item.get("key")), "rw-r--r--",
          group);
      }
    } else if (!secret.isEmpty()) {
      for (Map.Entry<String, String> each : cluster.secrets.get(secret.get("secretName")).entrySet()) {
        project(folder, each.getKey(), each.getValue(), "r--r-----", group);
      }
    } else {
      Files.setAttribute(folder, "unix:gid", group);
      Files.setAttribute(folder, "unix:mode", 02777);
    }
    return folder;
  }

  /** Writes a file behind links like the kubelet's, which replaces all files of a volume atomically. */
  private static void project(Path folder, String name, String text, String mode, int group) throws IOException {
    Path version = Files.createDirectories(folder.resolve("..version"));
    if (!Files.exists(folder.resolve("..data"))) {
      Files.createSymbolicLink(folder.resolve("..data"), Path.of("..version"));
    }
    Path file = Files.writeString(version.resolve(name), text);
    Files.setAttribute(file, "unix:gid", group);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(mode));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createSymbolicLink(folder.resolve(name), Path.of("..data", name));
  }

  private void probe() {
    try {
      Map<String, Object> startup = map(spec.get("startupProbe"));
      int left = (Integer) startup.get("failureThreshold");
      for (String failure = "no answer"; failure != null; left--) {
        if (left == 0) {
          deaths.add("startup: " + failure);
          return;
        }
        Thread.sleep(1000L * (Integer) startup.get("periodSeconds"));
        failure = failure(startup);
      }
      Map<String, Object> readiness = map(spec.get("readinessProbe"));
      Map<String, Object> liveness = map(spec.get("livenessProbe"));
      for (int second = 0;; second++) {
        if (second % (Integer) readiness.get("periodSeconds") == 0) {
          unready = failure(readiness);
        }
        if (second % (Integer) liveness.get("periodSeconds") == 0) {
          String failure = failure(liveness);
          if (failure != null) {
            deaths.add("liveness: " + failure);
          }
        }
        Thread.sleep(1000);
      }
    } catch (InterruptedException end) {
      Thread.currentThread().interrupt();
    }
  }

  private String failure(Map<String, Object> probe) {
    Map<String, Object> get = map(probe.get("httpGet"));
    Object port = maps(spec.get("ports")).stream().filter(each -> each.get("name").equals(get.get("port"))).findAny().orElseThrow()
      .get("containerPort");
    int millis = 1000 * (Integer) probe.get("timeoutSeconds");
    try {
      HttpURLConnection http = (HttpURLConnection) URI.create("http://" + address + ":" + port + get.get("path")).toURL()
        .openConnection();
      http.setConnectTimeout(millis);
      http.setReadTimeout(millis);
      if (http.getResponseCode() == 200) {
        return null;
      }
      try (InputStream error = http.getErrorStream()) {
        return http.getResponseCode() + " " + (error == null ? "" : new String(error.readAllBytes(), StandardCharsets.UTF_8));
      }
    } catch (IOException e) {
      return e.toString();
    }
  }

  boolean ready() {
    return unready == null;
  }

  List<String> deaths() {
    return List.copyOf(deaths);
  }

  String address() {
    return address;
  }

  String logs() throws Exception {
    return docker.docker("logs", container);
  }

  int process() throws Exception {
    return Integer.parseInt(docker.docker("inspect", "-f", "{{.State.Pid}}", container).strip());
  }

  String stop(int graceSeconds) throws Exception {
    prober.interrupt();
    docker.docker("stop", "-t", Integer.toString(graceSeconds), container);
    return logs();
  }

  @Override
  public void close() throws Exception {
    prober.interrupt();
    docker.docker("rm", "-f", container);
  }
}
