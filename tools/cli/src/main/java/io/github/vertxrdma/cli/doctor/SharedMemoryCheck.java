package io.github.vertxrdma.cli.doctor;

import io.github.vertxrdma.cli.machine.Machine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** /dev/shm: there, with room, and without names that killed processes left. */
final class SharedMemoryCheck implements Check {
  private static final String FOLDER = "/dev/shm";
  /** For each processor: with less libfabric does not offer its shm. */
  private static final long ENOUGH = (32L << 20) * Math.max(2, Runtime.getRuntime().availableProcessors());
  /** Of an endpoint: libfabric's own names are PID:…, ours PIDvNAMESPACEvNUMBER:…. None of it means anything to a shell that it is pasted to. */
  private static final Pattern NAME = Pattern.compile("(\\d+)(v[0-9a-z]+v[0-9a-z]+)?:[\\w.:-]*");

  @Override
  public List<Finding> run(Machine machine) {
    if (!Files.isWritable(machine.path(FOLDER))) {
      String folder = machine.exists(FOLDER) ? "" : machine.sudo() + "mkdir -p /dev/shm && ";
      return List.of(Finding.warning(FOLDER, "is not there or not writable, so libfabric's shared memory, fi-shm, cannot be used",
        folder + machine.sudo() + "mount -t tmpfs -o mode=1777 tmpfs /dev/shm"));
    }
    List<Finding> findings = new ArrayList<>();
    long free = free(machine);
    findings.add(free < ENOUGH
      ? Finding.warning(FOLDER, (free >> 20) + " MiB free; fi-shm is offered where there are 32 for each processor, better 64 (Docker:"
          + " --shm-size=1g)",
        machine.sudo() + "mount -o remount,size=1g /dev/shm")
      : Finding.ok(FOLDER, (free >> 20) + " MiB free"));
    // The name outlives a process that was killed.
    List<String> stale = machine.list(FOLDER).stream().filter(name -> {
      Matcher matcher = NAME.matcher(name);
      return matcher.matches() && !machine.exists("/proc/" + matcher.group(1)) && machine.owns(FOLDER + "/" + name);
    }).map(name -> FOLDER + "/" + name).toList();
    if (!stale.isEmpty()) {
      findings.add(Finding.warning("stale fi-shm names", stale.size() + " of processes that are gone (or in another PID namespace)",
        "rm " + String.join(" ", stale)));
    }
    return findings;
  }

  private static long free(Machine machine) {
    try {
      return Files.getFileStore(machine.path(FOLDER)).getUsableSpace();
    } catch (IOException e) {
      throw new UncheckedIOException(FOLDER + ": " + e.getMessage(), e);
    }
  }
}
