package io.github.vertxrdma.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.vertxrdma.cli.Finding.Level;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChecksTest {
  @TempDir
  private Path root;
  private MadeUpMachine machine;

  @BeforeEach
  void makeUp() {
    machine = new MadeUpMachine(root).file("/proc/self/status",
      "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3")
      .file("/etc/os-release", "ID=debian");
  }

  private static void assertFinding(Level level, String words, String fix, Finding finding) {
    assertEquals(level, finding.level(), finding.toString());
    assertTrue(finding.words().contains(words), finding.toString());
    assertEquals(fix, finding.fix());
  }

  @Test
  void anOldJdkFails() {
    assertFinding(Level.FAILURE, "older than 25", "sudo apt-get install -y openjdk-25-jdk-headless",
      machine.finding(made -> MachineChecks.jdk(made, 21)));
    machine.file("/etc/os-release", "ID=\"amzn\"\nID_LIKE=\"fedora\"");
    assertEquals("sudo dnf install -y java-25-openjdk-devel", machine.finding(made -> MachineChecks.jdk(made, 21)).fix());
    assertEquals(Level.OK, machine.finding(made -> MachineChecks.jdk(made, 25)).level());
  }

  @Test
  void modulesAreWarningsWithoutDevicesAndFailuresWithThem() {
    machine.file("/proc/sys/kernel/osrelease", "6.1.0").file("/lib/modules/6.1.0/modules.dep",
      "kernel/drivers/ib_uverbs.ko: x")
      .folder("/sys/module/ib_core");
    List<Finding> findings = machine.findings(MachineChecks::modules);
    assertFinding(Level.OK, "loaded", "", findings.get(0));
    assertFinding(Level.WARNING, "not loaded", "sudo modprobe ib_uverbs", findings.get(1));
    assertFinding(Level.WARNING, "does not have the module", "", findings.get(2));

    machine.roce("mlx5_0", "eth0");
    assertFinding(Level.FAILURE, "cannot be used", "sudo modprobe ib_uverbs", machine.findings(MachineChecks::modules).get(1));
  }

  @Test
  void modulesThatAKernelLacksAreInstalledAsTheDistributionHasThem() {
    assertAbsent("ID=ubuntu\nID_LIKE=debian", "6.8.0-31-generic", "sudo apt-get install -y linux-modules-extra-$(uname -r)");
    assertAbsent("ID=debian", "6.1.0-18-cloud-amd64", "sudo apt-get install -y linux-image-amd64");
    assertAbsent("ID=debian", "6.1.0-18-amd64", "");
    assertAbsent("ID_LIKE=\"ubuntu debian\"\nID=linuxmint", "6.8.0-31-generic", "");
    assertAbsent("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"", "5.14.0-427.el9.x86_64", "sudo dnf install -y kernel-modules");
    assertAbsent("ID=alpine", "6.6.0-0-lts", "");
  }

  private void assertAbsent(String release, String kernel, String fix) {
    machine.file("/etc/os-release", release).file("/proc/sys/kernel/osrelease", kernel).file("/lib/modules/" + kernel + "/modules.dep",
      "x");
    assertFinding(Level.WARNING, "does not have the module", fix, machine.findings(MachineChecks::modules).get(0));
  }

  @Test
  void aContainerCannotTellWhatItsKernelCouldLoad() {
    assertFinding(Level.WARNING, "load it on the host", "sudo modprobe ib_core", machine.findings(MachineChecks::modules).get(0));
  }

  @Test
  void deviceFilesMustBeThereForDevicesThatAre() throws IOException {
    assertFinding(Level.OK, "need none", "", machine.finding(AdapterChecks::deviceFiles));
    machine.siw("siw0", "eth0");
    assertTrue(machine.findings(AdapterChecks::deviceFiles).stream().allMatch(finding -> finding.level() == Level.OK));
    Files.delete(root.resolve("dev/infiniband/rdma_cm"));
    assertFinding(Level.FAILURE, "is missing", "sudo modprobe rdma_ucm", machine.findings(AdapterChecks::deviceFiles).get(1));
    Files.delete(root.resolve("dev/infiniband/uverbs0"));
    Files.delete(root.resolve("dev/infiniband"));
    assertFinding(Level.FAILURE, "docker run --device", "sudo modprobe -a ib_uverbs rdma_ucm",
      machine.finding(AdapterChecks::deviceFiles));
  }

  @Test
  void efaNeedsNoConnectionManager() throws IOException {
    machine.efa("rdmap0s6").file("/proc/sys/kernel/osrelease", "6.1.0").file("/lib/modules/6.1.0/modules.dep", "kernel/rdma_ucm.ko: x")
      .folder("/sys/module/ib_core").folder("/sys/module/ib_uverbs");
    Files.delete(root.resolve("dev/infiniband/rdma_cm"));
    assertFinding(Level.OK, "can be opened", "", machine.finding(AdapterChecks::deviceFiles));
    assertFinding(Level.WARNING, "only RDMA devices need it", "sudo modprobe rdma_ucm",
      machine.findings(MachineChecks::modules).get(2));
  }

  @Test
  void requirementsOfEfaAreNamed() throws IOException {
    assertEquals(List.of(), machine.findings(AdapterChecks::efa));
    machine.efa("rdmap0s6").file("/proc/sys/kernel/osrelease", "5.10.0-200.amzn2.x86_64");
    List<Finding> findings = machine.findings(AdapterChecks::efa);
    assertEquals(3, findings.size(), findings.toString());
    assertFinding(Level.OK, "efa.driver", "", findings.get(0));
    assertFinding(Level.OK, "a sleeping event loop polls after 1 to 20 ms", "", findings.get(1));
    assertFinding(Level.OK, "all traffic of its own members in both directions", "", findings.get(2));
    Files.delete(root.resolve("etc/libibverbs.d/efa.driver"));
    assertFinding(Level.FAILURE, "libibverbs cannot open an EFA device", "sudo apt-get install -y ibverbs-providers",
      machine.findings(AdapterChecks::efa).get(0));
  }

  @Test
  void forkThatEndsAProcessWithEfaIsNamed() {
    machine.efa("rdmap0s6").file("/proc/sys/kernel/osrelease", "5.10.0").variable("JDK_JAVA_OPTIONS",
      "-Xmx1g -Djdk.lang.Process.launchMechanism=FORK");
    assertFinding(Level.FAILURE, "fork(2), which ends a process that uses EFA on kernel 5.10.0", "unset JDK_JAVA_OPTIONS",
      machine.findings(AdapterChecks::efa).get(3));
    machine.file("/proc/sys/kernel/osrelease", "5.13.0");
    assertEquals(3, machine.findings(AdapterChecks::efa).size());
    machine.file("/proc/sys/kernel/osrelease", "5.10.0").variable("FI_EFA_FORK_SAFE", "1");
    assertEquals(3, machine.findings(AdapterChecks::efa).size());
    machine.file("/proc/sys/vm/nr_hugepages", "512");
    assertFinding(Level.WARNING, "huge pages cannot be registered", "unset FI_EFA_FORK_SAFE",
      machine.findings(AdapterChecks::efa).get(3));
  }

  @Test
  void requirementsOfSlingshotAreNamed() throws IOException {
    assertEquals(List.of(), machine.findings(AdapterChecks::slingshot));
    machine.cxi("cxi0");
    List<Finding> findings = machine.findings(AdapterChecks::slingshot);
    assertFinding(Level.OK, "can be opened", "", findings.get(0));
    assertFinding(Level.WARNING, "default service is used", "sudo cxi_service enable -s 1", findings.get(1));
    machine.variable("SLINGSHOT_SVC_IDS", "5");
    assertFinding(Level.FAILURE, "SLINGSHOT_VNIS is not set", "unset SLINGSHOT_SVC_IDS",
      machine.findings(AdapterChecks::slingshot).get(1));
    machine.variable("SLINGSHOT_VNIS", "234").variable("SLINGSHOT_DEVICES", "cxi0,cxi1");
    assertFinding(Level.OK, "5 with VNI 234", "", machine.findings(AdapterChecks::slingshot).get(1));
    assertFinding(Level.FAILURE, "cxi1 is not an adapter of this machine, which has cxi0", "unset SLINGSHOT_DEVICES",
      machine.findings(AdapterChecks::slingshot).get(2));
    Files.delete(root.resolve("dev/cxi0"));
    assertFinding(Level.FAILURE, "is missing", "sudo modprobe cxi-user", machine.findings(AdapterChecks::slingshot).get(0));
    Files.delete(root.resolve("sys/class/cxi_user/cxi0"));
    assertFinding(Level.FAILURE, "for users is not loaded", "sudo modprobe cxi-user", machine.findings(AdapterChecks::slingshot).get(0));
  }

  @Test
  void variablesThatHideTheProviderOfAnAdapterAreNamed() {
    machine.variable("FI_PROVIDER", "tcp");
    assertEquals(List.of(), machine.findings(AdapterChecks::providerFilter));
    machine.efa("rdmap0s6").cxi("cxi0");
    List<Finding> findings = machine.findings(AdapterChecks::providerFilter);
    assertFinding(Level.FAILURE, "its value tcp hides the provider efa of the adapter rdmap0s6", "unset FI_PROVIDER", findings.get(0));
    assertFinding(Level.FAILURE, "hides the provider cxi", "unset FI_PROVIDER", findings.get(1));
    machine.variable("FI_PROVIDER", "EFA,cxi");
    assertEquals(List.of(), machine.findings(AdapterChecks::providerFilter));
    machine.variable("FI_PROVIDER", "^shm,efa");
    assertFinding(Level.FAILURE, "^shm,efa hides the provider efa", "unset FI_PROVIDER", machine.finding(AdapterChecks::providerFilter));
    machine.variable("FI_PROVIDER", "^shm").variable("FI_PROVIDER_PATH", "@/nowhere:+/nowhere/libefa-fi.so");
    findings = machine.findings(AdapterChecks::providerFilter);
    assertFinding(Level.FAILURE, "at /nowhere, which is not a folder", "unset FI_PROVIDER_PATH", findings.get(0));
    assertFinding(Level.FAILURE, "which is not a library", "unset FI_PROVIDER_PATH", findings.get(1));
    machine.file("/nowhere/libefa-fi.so", "");
    assertEquals(List.of(), machine.findings(AdapterChecks::providerFilter));
    machine.variable("FI_PROVIDER_PATH", "@");
    assertEquals(List.of(), machine.findings(AdapterChecks::providerFilter));
  }

  @Test
  void lockedMemoryMattersForSlingshot() {
    machine.cxi("cxi0").file("/proc/self/limits", "Max locked memory         8388608              8388608              bytes");
    assertFinding(Level.FAILURE, "8 MiB is too little: cxi0 pins", "sudo prlimit --pid $$ --memlock=unlimited",
      machine.finding(MachineChecks::memlock));
  }

  @Test
  void linkThatIsDownIsAFailure() {
    machine.roce("mlx5_0", "eth7").infiniband("mlx5_1");
    assertFinding(Level.OK, "active (Ethernet)", "", machine.findings(PortChecks::links).get(0));
    machine.file(MadeUpMachine.port("mlx5_0") + "/state", "1: DOWN").file(MadeUpMachine.port("mlx5_1") + "/state", "2: INIT");
    assertFinding(Level.FAILURE, "state 1: DOWN", "sudo ip link set eth7 up", machine.findings(PortChecks::links).get(0));
    assertFinding(Level.FAILURE, "subnet manager", "sudo systemctl start opensm", machine.findings(PortChecks::links).get(1));
  }

  @Test
  void aPortWithoutGidFails() {
    machine.roce("mlx5_0", "eth7");
    assertFinding(Level.OK, "1, RoCE v2 among them", "", machine.finding(PortChecks::gids));
    machine.file(MadeUpMachine.port("mlx5_0") + "/gid_attrs/types/0", "IB/RoCE v1");
    assertFinding(Level.WARNING, "none of them for RoCE v2", "sudo ip address add ADDRESS/24 dev eth7",
      machine.finding(PortChecks::gids));
    machine.file(MadeUpMachine.port("mlx5_0") + "/gids/0", "0000:0000:0000:0000:0000:0000:0000:0000");
    assertFinding(Level.FAILURE, "nothing can connect", "sudo ip address add ADDRESS/24 dev eth7", machine.finding(PortChecks::gids));
  }

  @Test
  void smallMtuOfRoceIsReported() {
    machine.roce("mlx5_0", "eth7");
    assertFinding(Level.OK, "Compare it with the value on the peer's host", "", machine.finding(PortChecks::mtus));
    machine.file("/sys/class/net/eth7/mtu", "1500");
    assertFinding(Level.WARNING, "1500 on eth7", "sudo ip link set eth7 mtu 4200", machine.finding(PortChecks::mtus));
    machine.file("/sys/class/net/eth7/mtu", "");
    assertFinding(Level.OK, "unknown, since eth7 is not in this network namespace", "", machine.finding(PortChecks::mtus));
  }

  @Test
  void disabledCongestionControlIsReported() {
    machine.roce("mlx5_0", "eth7");
    assertFinding(Level.OK, "ECN cannot be read from this driver; PFC cannot be read here", "", machine.finding(PortChecks::congestion));
    machine.file("/sys/class/net/eth7/ecn/roce_np/enable/0", "1").file("/sys/class/net/eth7/ecn/roce_rp/enable/0", "0");
    assertFinding(Level.WARNING, "ECN is off for roce_rp 0",
      "echo 1 | sudo tee /sys/class/net/eth7/ecn/roce_np/enable/* /sys/class/net/eth7/ecn/roce_rp/enable/*",
      machine.finding(PortChecks::congestion));
    machine.file("/sys/class/net/eth7/ecn/roce_rp/enable/0", "1");
    assertFinding(Level.OK, "ECN on for every priority", "", machine.finding(PortChecks::congestion));
  }

  @Test
  void aProgramOnThePortOfRoceFails() {
    assertEquals(List.of(), machine.findings(PortChecks::rocePort));
    machine.roce("mlx5_0", "eth7").file("/proc/net/udp", "  sl  local_address rem_address\n  12: 00000000:12B8 00000000:0000 07");
    assertFinding(Level.OK, "firewalls", "", machine.finding(PortChecks::rocePort));
    machine.file("/proc/net/udp", "  sl  local_address rem_address\n  12: 00000000:12B7 00000000:0000 07");
    assertFinding(Level.FAILURE, "a program uses the port of RoCE v2. End it (to see its name: sudo ss -lunp sport = :4791)",
      "sudo fuser -k 4791/udp", machine.finding(PortChecks::rocePort));
    machine.rxe("rxe0", "eth8");
    assertFinding(Level.OK, "used by the kernel's rxe", "", machine.finding(PortChecks::rocePort));
  }

  @Test
  void lockedMemoryMattersWhereMemoryIsPinned() {
    machine.file("/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units\n"
      + "Max locked memory         8388608              8388608              bytes");
    assertFinding(Level.OK, "8 MiB; this is enough without RDMA devices", "", machine.finding(MachineChecks::memlock));
    machine.siw("siw0", "eth0");
    assertFinding(Level.FAILURE, "8 MiB is too little: siw0 pins", "sudo prlimit --pid $$ --memlock=unlimited",
      machine.finding(MachineChecks::memlock));
    machine.file("/proc/self/limits", "Max locked memory         8388608              unlimited            bytes");
    assertFinding(Level.FAILURE, "8 MiB is too little: siw0 pins", "ulimit -l unlimited", machine.finding(MachineChecks::memlock));
    machine.file("/proc/self/limits", "Max locked memory         unlimited            unlimited            bytes");
    assertFinding(Level.OK, "unlimited", "", machine.finding(MachineChecks::memlock));
  }

  @Test
  void theCapabilityToLockMemoryCountsForHardwareOnly() {
    machine.file("/proc/self/limits", "Max locked memory         65536                65536                bytes")
      .file("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000004000").roce("mlx5_0", "eth0");
    assertFinding(Level.OK, "CAP_IPC_LOCK", "", machine.finding(MachineChecks::memlock));
    machine.siw("siw0", "eth1");
    assertEquals(Level.FAILURE, machine.finding(MachineChecks::memlock).level());
  }

  @Test
  void deviceOnAnotherNumaNodeIsReported() {
    machine.folder("/sys/devices/system/node/node0");
    assertFinding(Level.OK, "one node", "", machine.finding(MachineChecks::numa));
    machine.file("/sys/devices/system/node/node1/cpulist", "4-7").roce("mlx5_0", "eth0")
      .file("/sys/class/infiniband/mlx5_0/device/numa_node", "1");
    assertFinding(Level.WARNING, "mlx5_0 is on node 1", "numactl --cpunodebind=1 --membind=1 java …",
      machine.finding(MachineChecks::numa));
    machine.file("/sys/devices/system/node/node1/cpulist", "3,5-7");
    assertFinding(Level.OK, "may run on", "", machine.finding(MachineChecks::numa));
  }

  @Test
  void controlCharactersDoNotReachTheTerminal() {
    String report = report(any -> List.of(Finding.warning("na\u0007me", "wor\nds \u001b[2J\u009b", "f\rix")));
    assertTrue(report.contains("na me") && report.contains("wor ds  [2J  — fix: f ix\n"), report);
  }

  @Test
  void quotaOfTheGroupOrItsParentsIsReported() {
    machine.file("/proc/self/cgroup", "0::/system.slice/app.service").file("/sys/fs/cgroup/system.slice/app.service/cpu.max",
      "max 100000");
    assertFinding(Level.OK, "none", "", machine.findings(new CgroupCheck()).getFirst());
    machine.file("/sys/fs/cgroup/system.slice/cpu.max", "150000 100000").file("/sys/fs/cgroup/system.slice/rdma.max",
      "mlx5_0 hca_handle=2 hca_object=2000");
    List<Finding> findings = machine.findings(new CgroupCheck());
    assertFinding(Level.WARNING, "1.50 cores", "echo max | sudo tee /sys/fs/cgroup/system.slice/cpu.max", findings.get(0));
    assertFinding(Level.WARNING, "hca_handle=2",
      "echo 'mlx5_0 hca_handle=max hca_object=max' | sudo tee /sys/fs/cgroup/system.slice/rdma.max", findings.get(2));
  }

  @Test
  void quotaOfAGroupOfVersion1IsFound() {
    machine.file("/proc/self/cgroup", "12:rdma:/docker/ab\n4:cpu,cpuacct:/docker/ab\n0::/")
      .file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1").file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
    assertFinding(Level.OK, "none", "", machine.findings(new CgroupCheck()).getFirst());
    machine.file("/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "50000").file("/sys/fs/cgroup/rdma/rdma.max",
      "mlx5_0 hca_handle=2 hca_object=2000");
    List<Finding> findings = machine.findings(new CgroupCheck());
    assertFinding(Level.WARNING, "0.50 cores", "echo -1 | sudo tee /sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", findings.get(0));
    assertFinding(Level.WARNING, "hca_handle=2", "echo 'mlx5_0 hca_handle=max hca_object=max' | sudo tee /sys/fs/cgroup/rdma/rdma.max",
      findings.get(2));
  }

  private Finding threadLimit() {
    return machine.findings(new CgroupCheck()).getLast();
  }

  @Test
  void threadLimitOfTheGroupOrOneAroundItIsFound() {
    machine.file("/proc/self/cgroup", "0::/system.slice/app.service").file("/proc/self/status", "Uid:\t1000\t1000\nThreads:\t30")
      .file("/sys/fs/cgroup/system.slice/app.service/pids.max", "max").file("/sys/fs/cgroup/system.slice/app.service/pids.current", "31");
    assertFinding(Level.OK, "none", "", threadLimit());
    machine.file("/sys/fs/cgroup/system.slice/pids.max", "100").file("/sys/fs/cgroup/system.slice/pids.current", "40");
    assertFinding(Level.OK, "90 more threads are allowed by /sys/fs/cgroup/system.slice/pids.max", "", threadLimit());
    machine.file("/sys/fs/cgroup/system.slice/pids.current", "95");
    assertFinding(Level.WARNING,
      "35 more threads are allowed by /sys/fs/cgroup/system.slice/pids.max: a process with a node needs up to 80 threads, and fails "
        + "if it cannot start them (a service: TasksMax=infinity; containers: --pids-limit=-1)",
      "echo max | sudo tee /sys/fs/cgroup/system.slice/pids.max", threadLimit());
  }

  @Test
  void threadLimitOfAGroupOfVersion1IsFound() {
    machine.file("/proc/self/cgroup", "8:pids:/docker/ab\n0::/").file("/proc/self/status", "Uid:\t0\t0\nThreads:\t30")
      .file("/sys/fs/cgroup/pids/pids.max", "50").file("/sys/fs/cgroup/pids/pids.current", "60");
    assertFinding(Level.WARNING, "20 more", "echo max | tee /sys/fs/cgroup/pids/pids.max", threadLimit());
  }

  @Test
  void threadsOfOtherProcessesOfTheUserAreCounted() {
    machine.file("/proc/self/limits", "Max processes             120                  4096                 processes")
      .file("/proc/self/status", "Uid:\t1000\t1000\nThreads:\t30").file("/proc/7/status", "Uid:\t1000\t1000\nThreads:\t30")
      .file("/proc/8/status", "Uid:\t1000\t1000\nThreads:\t20").file("/proc/9/status", "Uid:\t1001\t1001\nThreads:\t500");
    assertFinding(Level.OK, "100 more threads are allowed by 'ulimit -u', which is 120", "", machine.finding(MachineChecks::processes));
    machine.file("/proc/10/status", "Uid:\t1000\t1000\nThreads:\t40");
    assertFinding(Level.WARNING,
      "60 more threads are allowed by 'ulimit -u', which is 120: a process with a node needs up to 80 threads, and fails if it cannot "
        + "start them"
        + " (a service: LimitNPROC=infinity)",
      "sudo prlimit --pid $$ --nproc=unlimited", machine.finding(MachineChecks::processes));
    machine.file("/proc/self/status", "Uid:\t1000\t1000\nThreads:\t30\nCapEff:\t0000000001000000");
    assertFinding(Level.OK, "unlimited", "", machine.finding(MachineChecks::processes));
  }

  @Test
  void noThreadLimitOfAUserBindsRoot() {
    machine.file("/proc/self/limits", "Max processes             10                   10                   processes")
      .file("/proc/self/status", "Uid:\t0\t0\nThreads:\t30");
    assertFinding(Level.OK, "unlimited", "", machine.finding(MachineChecks::processes));
  }

  private Finding memoryLimit() throws IOException {
    return machine.findings(new CgroupCheck()).get(1);
  }

  @Test
  void memoryLimitsOfBothVersionsAreFound() throws IOException {
    machine.file("/proc/self/cgroup", "5:memory:/docker/ab\n0::/").file("/sys/fs/cgroup/memory/memory.limit_in_bytes",
      "9223372036854771712");
    assertFinding(Level.OK, "none", "", memoryLimit());
    machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", Integer.toString(128 << 20));
    assertFinding(Level.WARNING, "128 MiB: the kernel kills a node with less than 256 MiB",
      "give it 256 MiB or more, and the size of its heap, buffers and regions", memoryLimit());
    machine.file("/proc/self/cgroup", "0::/app").file("/sys/fs/cgroup/app/memory.max", "max").file("/sys/fs/cgroup/memory.max",
      Integer.toString(512 << 20));
    assertFinding(Level.OK, "512 MiB", "", memoryLimit());
  }

  @Test
  void theCapabilityToLockMemoryThatAUserCannotUseIsExplained() {
    machine.file("/proc/self/limits", "Max locked memory         65536                65536                bytes")
      .file("/proc/self/status", "Uid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\nCapBnd:\t00000000a80465fb")
      .roce("mlx5_0", "eth0");
    assertFinding(Level.FAILURE, "IPC_LOCK, which this container has, has no effect for a user other than root",
      "sudo prlimit --pid $$ --memlock=unlimited", machine.finding(MachineChecks::memlock));
  }

  @Test
  void aHandlerThatALibraryReplacedFails() {
    long[] address = {1};
    SignalHandlersCheck check = new SignalHandlersCheck(signal -> signal == 11 ? address[0] : 5);
    assertEquals(Level.OK, machine.finding(check).level());
    address[0] = 2;
    assertFinding(Level.FAILURE, "a library replaced SIGSEGV", "export LD_PRELOAD=" + System.getProperty("java.home") + "/lib/libjsig.so",
      machine.finding(check));
  }

  @Test
  void unreadableFileIsAWarning() {
    Check check = any -> {
      throw new UncheckedIOException("/proc/x cannot be read: denied", new IOException());
    };
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new DoctorCommand(machine.machine(), List.of(check)).run(new PrintStream(out, true, StandardCharsets.UTF_8));
    assertTrue(out.toString(StandardCharsets.UTF_8).contains("/proc/x cannot be read: denied — fix: sudo ./rdma doctor"),
      out.toString(StandardCharsets.UTF_8));
  }

  @Test
  void everyCommandForRootSaysSoToOthersAlone() throws IOException {
    machine.siw("siw0", "eth0").roce("mlx5_0", "eth1").file(MadeUpMachine.port("siw0") + "/state", "1: DOWN")
      .file(MadeUpMachine.port("mlx5_0") + "/gids/0", "").file("/sys/class/net/eth1/mtu", "1500")
      .file("/sys/class/net/eth1/ecn/roce_np/enable/0", "0").file("/proc/net/udp", "  12: 00000000:12B7 00000000:0000 07")
      .file("/proc/self/limits", "Max locked memory         65536                65536                bytes")
      .file("/sys/fs/cgroup/cpu.max", "150000 100000").file("/sys/fs/cgroup/rdma.max", "mlx5_0 hca_handle=2")
      .file("/proc/sys/kernel/osrelease", "6.1.0-9-cloud-amd64").file("/lib/modules/6.1.0-9-cloud-amd64/modules.dep", "x");
    Files.delete(root.resolve("dev/infiniband/rdma_cm"));
    Check unreadable = any -> {
      throw new UncheckedIOException("/proc/x cannot be read: denied", new IOException());
    };
    String user = report(unreadable);
    machine.file("/proc/self/status", "Uid:\t0\t0\t0\t0\nCapEff:\t0000000000000000\nCpus_allowed_list:\t0-3");
    String root = report(unreadable);
    assertFalse(root.contains("sudo"), root);
    List<String> commands = List.of("apt-get", "modprobe", "ip address", "ip link", "ss -lunp", "fuser", "tee", "prlimit");
    for (String line : user.lines().toList()) {
      for (String command : commands) {
        assertFalse(line.matches(".*(?<!sudo) " + command + " .*"), line);
      }
    }
    for (String command : commands) {
      assertTrue(user.contains(" sudo " + command + " "), () -> command + " is not in:\n" + user);
    }
    assertTrue(user.contains("— fix: sudo ./rdma doctor") && root.contains("/proc/x cannot be read: denied; this process is root"), root);
  }

  private String report(Check more) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    new DoctorCommand(machine.machine(), List.of(more)).run(new PrintStream(out, true, StandardCharsets.UTF_8));
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aFolderWhereAFileIsExpectedCannotBeRead() {
    machine.folder("/proc/net/udp").roce("mlx5_0", "eth0");
    String words = assertThrows(UncheckedIOException.class, () -> machine.findings(PortChecks::rocePort)).getMessage();
    // The JDK's exceptions begin with the path, which the finding must not repeat.
    assertTrue(words.startsWith("/proc/net/udp cannot be read: ") && !words.contains(root.toString()), words);
  }

  @Test
  void everyWarningAndFailureOfASickMachineNamesACommand() {
    machine.siw("siw0", "eth0").roce("mlx5_0", "eth1").file(MadeUpMachine.port("siw0") + "/state", "1: DOWN")
      .file("/proc/self/limits", "Max locked memory         65536                65536                bytes")
      .variable("VERTX_RDMA_LIBFABRIC", "/nowhere/libfabric.so.1");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    assertEquals(1, new DoctorCommand(machine.machine(), List.of()).run(new PrintStream(out, true, StandardCharsets.UTF_8)));
    List<String> bad = out.toString(StandardCharsets.UTF_8).lines().filter(line -> line.startsWith("warning")
      || line.startsWith("failure")).toList();
    assertFalse(bad.isEmpty());
    bad.forEach(line -> assertTrue(line.contains(" — fix: "), line));
    assertTrue(bad.stream().anyMatch(line -> line.contains("/nowhere/libfabric.so.1") && line.endsWith("fix: unset VERTX_RDMA_LIBFABRIC")),
      bad.toString());
  }
}
