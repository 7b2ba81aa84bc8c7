package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.FabricAdapter;
import io.github.vertxrdma.cli.machine.Machine;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;

/** Checks whether this user may open the device files of verbs. */
final class DeviceFilesCheck implements Check {
  private static final String FOLDER = "/dev/infiniband";

  @Override
  public List<Finding> run(Machine machine) {
    List<String> devices = machine.list("/sys/class/infiniband");
    if (devices.isEmpty()) {
      return FabricAdapter.all(machine).isEmpty() ? List.of(Finding.ok("RDMA devices", "none; shm and nio need none")) : List.of();
    }
    if (!machine.exists(FOLDER)) {
      return List.of(Finding.failure(FOLDER, "is not there though the kernel has RDMA devices: ib_uverbs is not loaded, "
        + "or this container was not given it (docker run --device …)",
        machine.sudo() + "modprobe -a ib_uverbs rdma_ucm"));
    }
    List<String> wanted = new ArrayList<>();
    for (String device : machine.list("/sys/class/infiniband_verbs")) {
      if (device.startsWith("uverbs")) {
        wanted.add(device);
      }
    }
    if (!devices.stream().allMatch(device -> FabricAdapter.isEfa(machine, device))) {
      wanted.add("rdma_cm");
    }
    return wanted.stream().map(name -> file(machine, FOLDER + "/" + name, name.equals("rdma_cm") ? "rdma_ucm" : "ib_uverbs")).toList();
  }

  static Finding file(Machine machine, String file, String module) {
    if (!machine.exists(file)) {
      return Finding.failure(file, "is not there: its module is not loaded, or this container was not given it (docker run --device "
        + file + ")",
        machine.sudo() + "modprobe " + module);
    }
    return Files.isReadable(machine.path(file)) && Files.isWritable(machine.path(file)) ? Finding.ok(file, "can be opened")
      : Finding.failure(file, "this user may not open it for reading and writing", machine.sudo() + "chmod 666 " + file);
  }
}
