package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class SoftMachineTest {
  private static final Path COMMON = Path.of("").toAbsolutePath().getParent().getParent().resolve("tests/soft-rdma/common");

  @TempDir
  Path temp;

  private String accelerated(String kvm, String qemu) throws IOException, InterruptedException {
    Path stub = Files.writeString(temp.resolve("qemu-system-x86_64"), "#!/bin/sh\n" + qemu + "\n");
    Files.setPosixFilePermissions(stub, PosixFilePermissions.fromString("rwxr-xr-x"));
    ProcessBuilder bash = new ProcessBuilder("bash", "-euo", "pipefail", "-c",
      ". \"$0\"; accelerate /nowhere; echo \"$accelerated: ${accelerator[1]%%,*}\"", COMMON.toString()).redirectErrorStream(true);
    bash.environment().put("PATH", temp + ":" + System.getenv("PATH"));
    bash.environment().put("SOFT_RDMA_KVM", kvm);
    Process process = bash.start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said.strip();
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', value = {
    "exit 0                                      | virtual, by KVM: kvm",
    "exit 124                                    | emulated, since no kernel started under KVM in 5 s: tcg",
    "echo 'failed to initialize kvm' >&2; exit 1 | emulated, since KVM was tried and failed: failed to initialize kvm: tcg"})
  void machineIsVirtualIfAKernelStarts(String qemu, String expected) throws Exception {
    assertEquals(expected, accelerated(Files.writeString(temp.resolve("kvm"), "").toString(), qemu));
  }

  @Test
  void withoutKvmNothingIsTried() throws Exception {
    assertEquals("emulated, since there is no /dev/none here: tcg", accelerated("/dev/none", "exit 0"));
  }
}
