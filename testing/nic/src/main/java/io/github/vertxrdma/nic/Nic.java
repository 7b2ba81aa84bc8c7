package io.github.vertxrdma.nic;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Simulated verbs devices in user space. Their libraries are built on first use with the C compiler and headers of rdma-core.
 *
 * @param missing why the libraries cannot be built; null if they were built
 */
public record Nic(Path verbs, Path cm, String missing) {
  /** Environment variable with kinds of adapters (personalities), separated by commas. Each creates a device. */
  public static final String PERSONALITIES = "VERTX_RDMA_NIC";
  /** Environment variable with a folder through which processes find each other; by default a folder in {@code /tmp}. */
  public static final String FOLDER = "VERTX_RDMA_NIC_FOLDER";
  /** Environment variable. With {@code rings}, processes copy through shared memory instead of process_vm_readv(2). */
  public static final String MEMORY = "VERTX_RDMA_NIC_MEMORY";
  /** Environment variable with a folder that replaces /sys. */
  public static final String SYSFS = "VERTX_RDMA_NIC_SYSFS";
  public static final String DEFAULT = "nic";

  private static final String VERBS_PATH = "vertx.rdma.verbs.libibverbs";
  private static final String CM_PATH = "vertx.rdma.verbs.librdmacm";
  private static final List<String> VERBS = List.of("absent.c", "completion.c", "device.c", "event.c", "far.c", "fault.c", "host.c",
    "link.c",
    "memory.c", "pair.c", "path.c", "personality.c", "post.c", "receive.c", "requester.c", "responder.c", "ring.c", "thread.c", "words.c");
  private static final List<String> CM = List.of("cm_address.c", "cm_event.c", "cm_fault.c", "cm_id.c", "cm_message.c", "cm_pair.c",
    "cm_resolve.c");
  private static final List<String> SOURCES = Stream.of(List.of("nic.h", "cm.h", "verbs.map", "cm.map"), VERBS, CM).flatMap(List::stream)
    .toList();
  private static final List<String> CONNECTING = List.of(DEFAULT, "mlx5", "connectib", "iwarp", "irdma", "bnxt", "ib", "roce-multiport",
    "tiny", "erdma", "t6");
  /** A device without reliable connections. */
  public static final String EFA = "efa";
  /** A device whose queue pairs connect only by an exchange of addresses. */
  public static final String WITHOUT_ADDRESS = "ib-vf";
  private static final List<String> KNOWN = Stream.concat(CONNECTING.stream(), Stream.of(EFA, WITHOUT_ADDRESS)).toList();
  private static final List<String> FLAGS = List.of("-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra",
    "-Werror");

  /** Built lazily, because constants of {@link Nic} need no compiler. */
  private static final class Built {
    static final Nic NIC = build();
  }

  public static Nic built() {
    return Built.NIC;
  }

  /** Prints the environment variables for these personalities, one per line. */
  public static void main(String... names) {
    if (built().missing() != null) {
      System.err.println(built().missing());
      System.exit(1);
    }
    built().environment(names).forEach((variable, value) -> System.out.println(variable + '=' + value));
  }

  public static List<String> personalities() {
    return CONNECTING;
  }

  /** Sets the personalities of this process. Addresses of devices found before may then belong to other devices. */
  public static void use(String... names) {
    setVariable(PERSONALITIES, String.join(",", names));
  }

  /** Replaces /sys until {@link #withdraw}. Must be called before the discovery of devices. */
  public static void sysfs(Path folder) {
    setVariable(SYSFS, folder.toString());
  }

  /**
   * Sets a variable for native libraries, which do not read Java's copy of the environment.
   *
   * @param value null to remove the variable
   */
  public static void setVariable(String name, String value) {
    SymbolLookup libc = Linker.nativeLinker().defaultLookup();
    if (value == null) {
      invoke(libc, "unsetenv", name);
    } else {
      invoke(libc, "setenv", name, value, 1);
    }
  }

  /** Makes the verbs provider of this process use these libraries until {@link #withdraw}. */
  public void provide(String... names) {
    System.setProperty(VERBS_PATH, verbs.toString());
    System.setProperty(CM_PATH, cm.toString());
    use(names);
  }

  /** Returns environment variables for a process that uses these devices, also if it is linked with libibverbs. */
  public Map<String, String> environment(String... names) {
    return Map.of("LD_LIBRARY_PATH", verbs.getParent().toString(), "VERTX_RDMA_VERBS", verbs.toString(), "VERTX_RDMA_RDMACM", cm.toString(),
      PERSONALITIES, String.join(",", names));
  }

  public List<String> launcher(String... names) {
    return Stream.concat(Stream.of("env"), environment(names).entrySet().stream().map(Object::toString)).toList();
  }

  public boolean isProvided() {
    return verbs != null && verbs.toString().equals(System.getProperty(VERBS_PATH));
  }

  /** Restores the system's libraries. Open domains keep the libraries of this device. */
  public static void withdraw() {
    System.clearProperty(VERBS_PATH);
    System.clearProperty(CM_PATH);
    setVariable(SYSFS, "");
    use(DEFAULT);
  }

  /**
   * @param after number of requests that succeed first
   * @param status an ibv_wc_status
   */
  public void failRequest(int queuePair, int after, int status) {
    call(verbs, "nic_fail_request", queuePair, after, status);
  }

  /** @param every average number of requests per failure; 0 for none */
  public void failAtRandom(int seed, int every) {
    call(verbs, "nic_fail_at_random", seed, every);
  }

  /**
   * Delays completions at random. Each queue keeps its order.
   *
   * @param micros maximum delay in microseconds; 0 for none
   */
  public void delayCompletions(int seed, int micros) {
    call(verbs, "nic_delay_completions", seed, micros);
  }

  /** @param errno error of ibv_post_send(3). With -1 the call fails but keeps the requests, as on siw if the kernel cannot be notified */
  public void refusePosts(int queuePair, int posts, int errno) {
    call(verbs, "nic_refuse_posts", queuePair, posts, errno);
  }

  /** @param result negative result of ibv_poll_cq(3) */
  public void failPolls(int queuePair, int result) {
    call(verbs, "nic_fail_polls", queuePair, result);
  }

  /** Counts registered memory against the memlock limit, which Linux does not apply to root. */
  public void countMemlock(boolean on) {
    call(verbs, "nic_count_memlock", on ? 1 : 0);
  }

  /** @return a task that ends the child */
  public Runnable fork() {
    int child = value(verbs, "nic_fork");
    if (child < 0) {
      throw new IllegalStateException("cannot fork this process");
    }
    return () -> call(verbs, "nic_end_fork", child);
  }

  /** Counts contexts, memory regions, queue pairs, shared receive queues and thread domains. */
  public int held() {
    return value(verbs, "nic_held");
  }

  public int deviceLists() {
    return value(verbs, "nic_device_lists");
  }

  /** @param event an ibv_event_type */
  public void raise(int queuePair, int event) {
    call(verbs, "nic_raise", queuePair, event);
  }

  public void port(String device, boolean up) {
    callOf("nic_port", device, up ? 1 : 0);
  }

  /** Breaks the connections of a device with IBV_EVENT_DEVICE_FATAL and hides it. With {@code back}, instead makes it usable again. */
  public void fail(String device, boolean back) {
    callOf("nic_fatal", device, back ? 1 : 0);
  }

  /**
   * Changes a property and reports IBV_EVENT_LID_CHANGE for {@code lid}, IBV_EVENT_PKEY_CHANGE for {@code partitions}, otherwise
   * IBV_EVENT_GID_CHANGE.
   */
  public void change(String device, String key, String value) {
    if (value(verbs, "nic_change", device, key, value) != 0) {
      throw new IllegalArgumentException("device " + device + " cannot have " + key + ' ' + value);
    }
  }

  public void restore(String device) {
    change(device, null, null);
  }

  public int vectorsUsed(String device) {
    return value(verbs, "nic_vectors_used", device);
  }

  public int relaxed(String device) {
    return value(verbs, "nic_relaxed", device);
  }

  public int queuePairs(String device) {
    return value(verbs, "nic_queue_pairs", device);
  }

  public int pinnedKiB(String device) {
    return value(verbs, "nic_pinned", device);
  }

  public int contexts(String device) {
    return value(verbs, "nic_contexts", device);
  }

  /** Returns the connection options (ECE) of a queue pair; ibv_query_ece(3). */
  public int enhancements(int queuePair) {
    return value(verbs, "nic_enhancements", queuePair);
  }

  /** Returns the number of a queue pair's thread domain, from 1; 0 for none. */
  public int threadDomain(int queuePair) {
    return value(verbs, "nic_thread_domain", queuePair);
  }

  public int refusedQueuePairs(String device) {
    return value(verbs, "nic_refused_queue_pairs", device);
  }

  /** Verbs that take milliseconds on a real adapter, in the order of enum nic_control. */
  public enum Control {
    CREATE_QP, MODIFY_QP,
    /** ibv_modify_qp(3) to the error state. */
    FAIL_QP, DESTROY_QP, REG_MR, DEREG_MR, CREATE_CQ, RESIZE_CQ, DESTROY_CQ
  }

  /**
   * Counts calls of {@link Control} verbs from now on.
   *
   * @param micros delay of each call in microseconds; -1 stops counting and delaying
   */
  public void slowControl(int micros) {
    call(verbs, "nic_slow_control", micros);
  }

  /** @param threads prefix of thread names, at most 15 bytes */
  public Map<Control, Integer> controlCalls(String threads) {
    Map<Control, Integer> calls = new EnumMap<>(Control.class);
    for (Control control : Control.values()) {
      calls.put(control, value(verbs, "nic_control_calls", threads, control.ordinal()));
    }
    return calls;
  }

  private void callOf(String function, String device, int value) {
    if (value(verbs, function, device, value) != 0) {
      throw new IllegalArgumentException("no such device: " + device);
    }
  }

  /**
   * @param event an rdma_cm_event_type; RDMA_CM_EVENT_CONNECT_REQUEST loses the request
   * @param status a negative errno, or the reason of a rejection
   */
  public void failConnect(int event, int status) {
    failConnects(1, event, status);
  }

  public void failConnects(int count, int event, int status) {
    call(cm, "nic_fail_connects", count, event, status);
  }

  /** Refuses the next rdma_migrate_id(3) with an error. */
  public void refuseMigration(int errno) {
    call(cm, "nic_refuse_migration", errno);
  }

  /** @param event an rdma_cm_event_type */
  public void raiseOfConnection(int queuePair, int event) {
    call(cm, "nic_raise_cm", queuePair, event);
  }

  private static void call(Path library, String name, Integer... arguments) {
    if (value(library, name, (Object[]) arguments) != 0) {
      throw new IllegalArgumentException("cannot call " + name + ": the device has no object with the number " + arguments[0]);
    }
  }

  /** Calls a C function that returns int. @param arguments each an Integer, or a String or null for a pointer to characters */
  public static int value(Path library, String name, Object... arguments) {
    try (Arena arena = Arena.ofConfined()) {
      return invoke(SymbolLookup.libraryLookup(library, arena), name, arguments);
    }
  }

  private static int invoke(SymbolLookup library, String name, Object... arguments) {
    Linker linker = Linker.nativeLinker();
    MemoryLayout[] parameters = new MemoryLayout[arguments.length];
    Object[] values = arguments.clone();
    try (Arena arena = Arena.ofConfined()) {
      for (int i = 0; i < values.length; i++) {
        parameters[i] = values[i] instanceof Integer ? ValueLayout.JAVA_INT : ValueLayout.ADDRESS;
        values[i] = values[i] instanceof String text ? arena.allocateFrom(text) : values[i] == null ? MemorySegment.NULL : values[i];
      }
      return (int) linker.downcallHandle(library.findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters))
        .invokeWithArguments(values);
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private static Nic build() {
    try {
      String missing = missingHere();
      return missing != null ? new Nic(null, null, missing) : compiled();
    } catch (IOException e) {
      throw new UncheckedIOException("cannot build the verbs device in user space", e);
    }
  }

  private static String missingHere() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return "the verbs device in user space needs Linux";
    }
    try {
      return CompiledSources.isAccepted("#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n", List.of()) ? missingAddress()
        : "the verbs device in user space needs the headers of rdma-core (libibverbs-dev, librdmacm-dev)";
    } catch (IOException e) {
      return "the verbs device in user space needs a C compiler (gcc, libc6-dev): " + e.getMessage();
    }
  }

  /** Returns an error if only the loopback interface has an address, because no device is then found; otherwise null. */
  private static String missingAddress() throws IOException {
    boolean there = NetworkInterface.networkInterfaces().anyMatch(Nic::isReachable);
    return there ? null : "the verbs device in user space needs a network interface that is up and has an address, but this machine "
      + "has only the loopback interface (perhaps it is a container without network)";
  }

  /** Returns whether devices use the addresses of an interface. Excludes bridges, because containers change their addresses. */
  static boolean isReachable(NetworkInterface card) {
    try {
      return card.isUp() && !card.isLoopback() && !Files.exists(Path.of("/sys/class/net", card.getName(), "bridge"))
        && card.inetAddresses().findAny().isPresent();
    } catch (SocketException e) {
      return false;
    }
  }

  private static Nic compiled() throws IOException {
    CompiledSources sources = new CompiledSources();
    for (String source : SOURCES) {
      sources.add(source, Nic.class.getResourceAsStream("source/" + source));
    }
    for (String name : KNOWN) {
      sources.add(name + ".nic", Nic.class.getResourceAsStream("personalities/" + name + ".nic"));
    }
    Path folder = sources.build("nic", System.getenv().getOrDefault("CPATH", ""), Nic::compile);
    return new Nic(folder.resolve("libibverbs.so.1"), folder.resolve("librdmacm.so.1"), null);
  }

  private static void compile(Path folder) throws IOException {
    // The sonames differ from the system's, because a process may load both.
    CompiledSources.run(folder, List.of("cc"), FLAGS,
      List.of("-o", "libibverbs.so.1", "-Wl,-soname,libibverbs-nic.so.1,--version-script=verbs.map"), VERBS, List.of("-ldl"));
    Files.createSymbolicLink(folder.resolve("libibverbs-nic.so.1"), Path.of("libibverbs.so.1"));
    CompiledSources.run(folder, List.of("cc"), FLAGS,
      List.of("-o", "librdmacm.so.1", "-Wl,-soname,librdmacm-nic.so.1,--version-script=cm.map,-rpath,$ORIGIN"), CM,
      List.of("libibverbs.so.1"));
    Files.createSymbolicLink(folder.resolve("librdmacm-nic.so.1"), Path.of("librdmacm.so.1"));
  }
}
