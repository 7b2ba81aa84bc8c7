package io.github.vertxrdma.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

final class MadeUpMachine {
  private final Path root;
  private final Map<String, String> environment = new HashMap<>();

  MadeUpMachine(Path root) {
    this.root = root;
  }

  MadeUpMachine file(String name, String content) {
    try {
      Path file = root.resolve(name.substring(1));
      Files.createDirectories(file.getParent());
      Files.writeString(file, content + "\n");
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  MadeUpMachine folder(String name) {
    try {
      Files.createDirectories(root.resolve(name.substring(1)));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  MadeUpMachine variable(String name, String value) {
    environment.put(name, value);
    return this;
  }

  MadeUpMachine roce(String device, String netdev) {
    return device(device, netdev, "1: CA", "Ethernet", "pci0000:00/infiniband").file(port(device) + "/gid_attrs/types/0", "RoCE v2");
  }

  MadeUpMachine siw(String device, String netdev) {
    return device(device, netdev, "4: RNIC", "Ethernet", "virtual/infiniband");
  }

  MadeUpMachine rxe(String device, String netdev) {
    return device(device, netdev, "1: CA", "Ethernet", "virtual/infiniband");
  }

  MadeUpMachine infiniband(String device) {
    return device(device, "", "1: CA", "InfiniBand", "pci0000:00/infiniband");
  }

  MadeUpMachine efa(String device) {
    return device(device, "", "8: unspecified", "Unspecified", "pci0000:00/infiniband").link("/sys/class/infiniband/" + device
      + "/device/driver", "../../../bus/pci/drivers/efa").file("/etc/libibverbs.d/efa.driver", "driver efa");
  }

  MadeUpMachine cxi(String device) {
    return folder("/sys/class/cxi/" + device).folder("/sys/class/cxi_user/" + device).file("/dev/" + device, "");
  }

  private MadeUpMachine link(String name, String target) {
    try {
      Path link = root.resolve(name.substring(1));
      Files.createDirectories(link.getParent());
      Files.createSymbolicLink(link, Path.of(target));
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String port(String device) {
    return "/sys/class/infiniband/" + device + "/ports/1";
  }

  private MadeUpMachine device(String device, String netdev, String nodeType, String linkLayer, String parent) {
    String folder = "/sys/devices/" + parent + "/" + device;
    folder(folder).folder("/sys/class/infiniband");
    try {
      Files.createSymbolicLink(root.resolve("sys/class/infiniband/" + device), root.resolve(folder.substring(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    file(port(device) + "/state", "4: ACTIVE").file(port(device) + "/link_layer", linkLayer)
      .file("/sys/class/infiniband/" + device + "/node_type", nodeType)
      .file(port(device) + "/gids/0", "fe80:0000:0000:0000:0a00:27ff:fe4b:1c01");
    if (!netdev.isEmpty()) {
      file(port(device) + "/gid_attrs/ndevs/0", netdev).file("/sys/class/net/" + netdev + "/mtu", "9000");
    }
    return folder("/sys/class/infiniband_verbs/uverbs0").file("/dev/infiniband/uverbs0", "").file("/dev/infiniband/rdma_cm", "");
  }

  Machine machine() {
    return new Machine(root, environment);
  }

  List<Finding> findings(Check check) {
    return check.run(machine());
  }

  Finding finding(Check check) {
    List<Finding> findings = findings(check);
    if (findings.size() != 1) {
      throw new AssertionError("one finding expected: " + findings);
    }
    return findings.get(0);
  }
}
