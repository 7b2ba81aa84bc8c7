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
import java.lang.invoke.MethodHandle;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The libraries of a verbs device in user space, built on first use with the system's C compiler and the headers of rdma-core. The
 * environment variable {@value #PERSONALITIES} names the devices that they show, see {@link #use}.
 *
 * @param verbs its libibverbs.so.1
 * @param cm its librdmacm.so.1
 * @param missing why there is none here; null if there is
 */
public record Nic(Path verbs, Path cm, String missing) {
  /** Environment variable of the verbs device for tests: names of its personalities, separated by commas; each is a device of that name. */
  public static final String PERSONALITIES = "VERTX_RDMA_NIC";
  /**
   * Environment variable of the verbs device for tests: a private folder of this user, in which processes with the device find each other;
   * one in {@code /tmp} without it.
   */
  public static final String FOLDER = "VERTX_RDMA_NIC_FOLDER";
  /**
   * Environment variable of the verbs device for tests: {@code rings} makes all bytes between processes use memory that they share, as if
   * process_vm_readv(2) were refused.
   */
  public static final String MEMORY = "VERTX_RDMA_NIC_MEMORY";
  /**
   * Environment variable of the verbs device for tests: a folder in place of /sys, in which class/infiniband/NAME describes its devices, as
   * files of the kernel describe others.
   */
  public static final String SYSFS = "VERTX_RDMA_NIC_SYSFS";
  /** Name of the device that the libraries show by default. */
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
    "tiny");
  /** A device without reliable connections. */
  public static final String EFA = "efa";
  /** A device without an address, whose queue pairs connect by an exchange of theirs alone. */
  public static final String WITHOUT_ADDRESS = "ib-vf";
  private static final List<String> KNOWN = Stream.concat(CONNECTING.stream(), Stream.of(EFA, WITHOUT_ADDRESS)).toList();
  private static final List<String> FLAGS = List.of("-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra",
    "-Werror");

  /** Builds the libraries on first use: the names of the personalities are available without a compiler. */
  private static final class Built {
    static final Nic NIC = build();
  }

  /** Returns the libraries, or the reason why this machine cannot have them. Builds them on the first call. */
  public static Nic built() {
    return Built.NIC;
  }

  /** Returns the names of the personalities that connect by IP address; all but {@link #EFA} and {@link #WITHOUT_ADDRESS}. */
  public static List<String> personalities() {
    return CONNECTING;
  }

  /**
   * Selects the devices of this process. Devices that were found before continue to work, but addresses of this host may belong to another
   * device: the connection manager assigns them to the first.
   */
  public static void use(String... names) {
    set(PERSONALITIES, String.join(",", names));
  }

  /** Sets the folder in place of /sys, until {@link #withdraw}; call it before the provider searches for devices. */
  public static void sysfs(Path folder) {
    set(SYSFS, folder.toString());
  }

  private static void set(String variable, String value) {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      // Java's own view of the environment cannot be changed, and the libraries read the real one.
      int ignored = (int) linker.downcallHandle(linker.defaultLookup().find("setenv").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.JAVA_INT))
        .invokeExact(arena.allocateFrom(variable), arena.allocateFrom(value), 1);
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /** Makes the verbs provider of this process use these libraries, with the devices of those personalities, until {@link #withdraw}. */
  public void provide(String... names) {
    System.setProperty(VERBS_PATH, verbs.toString());
    System.setProperty(CM_PATH, cm.toString());
    use(names);
  }

  /**
   * Returns the environment variables with which another process uses these libraries, whether it belongs to this project or is linked with
   * libibverbs and librdmacm.
   *
   * @param names of the personalities that it sees as devices
   */
  public Map<String, String> environment(String... names) {
    return Map.of("LD_LIBRARY_PATH", verbs.getParent().toString(), "VERTX_RDMA_VERBS", verbs.toString(), "VERTX_RDMA_RDMACM", cm.toString(),
      PERSONALITIES, String.join(",", names));
  }

  /** Returns the beginning of a command that has the {@link #environment} of those personalities. */
  public List<String> launcher(String... names) {
    return Stream.concat(Stream.of("env"), environment(names).entrySet().stream().map(Object::toString)).toList();
  }

  /** Returns whether the verbs provider of this process uses these libraries. */
  public boolean isProvided() {
    return verbs != null && verbs.toString().equals(System.getProperty(VERBS_PATH));
  }

  /** Makes the verbs provider of this process use the system's libraries again. Open domains keep these. */
  public static void withdraw() {
    System.clearProperty(VERBS_PATH);
    System.clearProperty(CM_PATH);
    set(SYSFS, "");
    use(DEFAULT);
  }

  /**
   * Makes the device fail a request of a queue pair.
   *
   * @param queuePair its number
   * @param after number of requests that succeed before it
   * @param status an ibv_wc_status of ibv_poll_cq(3)
   */
  public void failRequest(int queuePair, int after, int status) {
    call(verbs, "nic_fail_request", queuePair, after, status);
  }

  /**
   * Makes the devices of this process fail requests at random.
   *
   * @param seed of the numbers that decide which, and with which ibv_wc_status
   * @param every average number of requests per failure; 0 for none
   */
  public void failAtRandom(int seed, int every) {
    call(verbs, "nic_fail_at_random", seed, every);
  }

  /**
   * Delays completions: those of a queue stay in order, those of different queues do not.
   *
   * @param seed of the numbers that decide the delays
   * @param micros maximum delay; 0 for none
   */
  public void delayCompletions(int seed, int micros) {
    call(verbs, "nic_delay_completions", seed, micros);
  }

  /**
   * Makes the device refuse posts of a queue pair.
   *
   * @param posts number of posts
   * @param errno error of ibv_post_send(3); -1 as on siw, which has queued the requests when it cannot notify the kernel
   */
  public void refusePosts(int queuePair, int posts, int errno) {
    call(verbs, "nic_refuse_posts", queuePair, posts, errno);
  }

  /**
   * Makes polls of the completion queue for a queue pair's receives fail from now on.
   *
   * @param result of the polls, below 0, as of ibv_poll_cq(3)
   */
  public void failPolls(int queuePair, int result) {
    call(verbs, "nic_fail_polls", queuePair, result);
  }

  /** Makes registered memory count against the memlock limit of this process, also for root; Linux lets root register more. */
  public void countMemlock(boolean on) {
    call(verbs, "nic_count_memlock", on ? 1 : 0);
  }

  /** Forks this process, as C programs do. @return ends the child, which only holds this process's memory */
  public Runnable fork() {
    int child = value(verbs, "nic_fork");
    if (child < 0) {
      throw new IllegalStateException("this process could not be forked");
    }
    return () -> call(verbs, "nic_end_fork", child);
  }

  /**
   * Returns the number of objects of the devices that this process holds: contexts, memory regions, queue pairs and shared receive queues.
   */
  public int held() {
    return value(verbs, "nic_held");
  }

  /** Returns the number of lists of devices that this process has not freed; ibv_get_device_list(3). */
  public int deviceLists() {
    return value(verbs, "nic_device_lists");
  }

  /**
   * Raises an event for a queue pair, with its effect: a port that is down carries nothing until it is up again.
   *
   * @param queuePair its number
   * @param event an ibv_event_type of ibv_get_async_event(3)
   */
  public void raise(int queuePair, int event) {
    call(verbs, "nic_raise", queuePair, event);
  }

  /** Takes the port of a device down, so that it carries nothing and reports that, or up again. @param device name of its personality */
  public void port(String device, boolean up) {
    callOf("nic_port", device, up ? 1 : 0);
  }

  /**
   * Makes a device fail: connections end with IBV_EVENT_DEVICE_FATAL, nothing can be created in contexts that have it open, and it is in
   * no list, or back again for new contexts.
   *
   * @param device name of its personality
   */
  public void fail(String device, boolean back) {
    callOf("nic_fatal", device, back ? 1 : 0);
  }

  /**
   * Limits the rate of a device: requests of this process complete one after the other, each after the time for its bytes.
   *
   * @param device name of its personality
   * @param rate megabytes per second; 0 for no limit
   */
  public void rate(String device, int rate) {
    callOf("nic_rate", device, rate);
  }

  /**
   * Changes one respect in which a device differs from others, and reports the change as an event of its ports.
   *
   * @param device name of its personality
   * @param key of a line of the personality's file; {@code lid} reports IBV_EVENT_LID_CHANGE, {@code partitions} IBV_EVENT_PKEY_CHANGE, any
   * other key IBV_EVENT_GID_CHANGE
   * @param value as in that file
   */
  public void change(String device, String key, String value) {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment cKey = key == null ? MemorySegment.NULL : arena.allocateFrom(key);
      MemorySegment cValue = value == null ? MemorySegment.NULL : arena.allocateFrom(value);
      int status = (int) linker.downcallHandle(SymbolLookup.libraryLookup(verbs, arena).find("nic_change").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.ADDRESS, ValueLayout.ADDRESS))
        .invokeExact(arena.allocateFrom(device), cKey, cValue);
      if (status != 0) {
        throw new IllegalArgumentException("device " + device + " cannot have " + key + ' ' + value);
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /** Undoes all {@link #change}s of a device. */
  public void restore(String device) {
    change(device, null, null);
  }

  /** Returns the completion vectors of a device that completion queues with a channel were created with, as bits. */
  public int vectorsUsed(String device) {
    return valueOf("nic_vectors_used", device);
  }

  /** Returns the number of memory regions of a device that allow relaxed ordering. */
  public int relaxed(String device) {
    return valueOf("nic_relaxed", device);
  }

  /** Returns the number of queue pairs of a device that this process has. */
  public int queuePairs(String device) {
    return valueOf("nic_queue_pairs", device);
  }

  /** Returns the memory that is registered with a device, in KiB. */
  public int pinnedKiB(String device) {
    return valueOf("nic_pinned", device);
  }

  /** Returns the number of contexts of a device that this process has open. */
  public int contexts(String device) {
    return valueOf("nic_contexts", device);
  }

  /** Returns the enhancements that a queue pair uses, as bits; ibv_query_ece(3). */
  public int enhancements(int queuePair) {
    return value(verbs, "nic_enhancements", queuePair);
  }

  /** Returns the number of queue pairs that a device refused because they requested too much. */
  public int refusedQueuePairs(String device) {
    return valueOf("nic_refused_queue_pairs", device);
  }

  /** Verb that the firmware of adapters carries out, which takes it milliseconds. In the order of the library. */
  public enum Control {
    CREATE_QP, MODIFY_QP,
    /** ibv_modify_qp(3) to the error state. */
    FAIL_QP, DESTROY_QP, REG_MR, DEREG_MR, CREATE_CQ, RESIZE_CQ, DESTROY_CQ
  }

  /** Makes each {@link Control} verb of this process take so long, and counts the calls from now on. @param micros -1 for neither */
  public void slowControl(int micros) {
    call(verbs, "nic_slow_control", micros);
  }

  /** Returns how often threads called each {@link Control} verb. @param threads beginning of the names of the threads, at most 15 bytes */
  public Map<Control, Integer> controlCalls(String threads) {
    Linker linker = Linker.nativeLinker();
    Map<Control, Integer> calls = new EnumMap<>(Control.class);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment prefix = arena.allocateFrom(threads);
      MethodHandle function = linker.downcallHandle(SymbolLookup.libraryLookup(verbs, arena).find("nic_control_calls").orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT));
      for (Control control : Control.values()) {
        calls.put(control, (int) function.invokeExact(prefix, control.ordinal()));
      }
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
    return calls;
  }

  private int valueOf(String function, String device) {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      return (int) linker.downcallHandle(SymbolLookup.libraryLookup(verbs, arena).find(function).orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS)).invokeExact(arena.allocateFrom(device));
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  private void callOf(String function, String device, int value) {
    Linker linker = Linker.nativeLinker();
    try (Arena arena = Arena.ofConfined()) {
      int status = (int) linker.downcallHandle(SymbolLookup.libraryLookup(verbs, arena).find(function).orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT))
        .invokeExact(arena.allocateFrom(device), value);
      if (status != 0) {
        throw new IllegalArgumentException("there is no device " + device);
      }
    } catch (RuntimeException e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }

  /**
   * Ends the next connect of this process with an event of the connection manager, in place of the result of that step.
   *
   * @param event an rdma_cm_event_type of rdma_get_cm_event(3); RDMA_CM_EVENT_CONNECT_REQUEST for a request that is lost on the way
   * @param status of the event: a negative errno, or the reason of a rejection
   */
  public void failConnect(int event, int status) {
    failConnects(1, event, status);
  }

  /** Ends as many connects of this process as {@link #failConnect} ends one. @param count 0 for none from now on */
  public void failConnects(int count, int event, int status) {
    call(cm, "nic_fail_connects", count, event, status);
  }

  /** Makes the connection manager refuse to move the next id to another event channel. @param errno error of rdma_migrate_id(3) */
  public void refuseMigration(int errno) {
    call(cm, "nic_refuse_migration", errno);
  }

  /**
   * Raises an event of the connection manager for a connection.
   *
   * @param queuePair the number of the connection's queue pair
   * @param event an rdma_cm_event_type of rdma_get_cm_event(3)
   */
  public void raiseOfConnection(int queuePair, int event) {
    call(cm, "nic_raise_cm", queuePair, event);
  }

  private static void call(Path library, String name, int... arguments) {
    if (value(library, name, arguments) != 0) {
      throw new IllegalArgumentException(name + ": the device has nothing with number " + arguments[0]);
    }
  }

  private static int value(Path library, String name, int... arguments) {
    Linker linker = Linker.nativeLinker();
    MemoryLayout[] parameters = new MemoryLayout[arguments.length];
    Arrays.fill(parameters, ValueLayout.JAVA_INT);
    try (Arena arena = Arena.ofConfined()) {
      // The library that the provider has loaded: a path is loaded once.
      return (int) linker.downcallHandle(SymbolLookup.libraryLookup(library, arena).find(name).orElseThrow(),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, parameters)).invokeWithArguments(Arrays.stream(arguments).boxed().toList());
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
      throw new UncheckedIOException("the verbs device in user space could not be built", e);
    }
  }

  private static String missingHere() {
    if (!System.getProperty("os.name").equals("Linux")) {
      return "the verbs device in user space is for Linux";
    }
    try {
      return CompiledSources.isAccepted("#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n", List.of()) ? missingAddress()
        : "the verbs device in user space needs the headers of rdma-core (libibverbs-dev, librdmacm-dev)";
    } catch (IOException e) {
      return "the verbs device in user space needs a C compiler (gcc, libc6-dev): " + e.getMessage();
    }
  }

  /** The connection manager's addresses are those of network interfaces; a loopback interface has no device. */
  private static String missingAddress() throws IOException {
    boolean there = NetworkInterface.networkInterfaces().anyMatch(Nic::isReachable);
    return there ? null : "the verbs device in user space needs a network interface that is up and has an address, and this machine has a"
      + " loopback alone (a container without network, perhaps)";
  }

  private static boolean isReachable(NetworkInterface card) {
    try {
      return card.isUp() && !card.isLoopback() && card.inetAddresses().findAny().isPresent();
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
    // Headers of another rdma-core
    Path folder = sources.build("nic", System.getenv().getOrDefault("CPATH", ""), Nic::compile);
    return new Nic(folder.resolve("libibverbs.so.1"), folder.resolve("librdmacm.so.1"), null);
  }

  private static void compile(Path folder) throws IOException {
    // Internal names that differ from the system's, so that a process with both libraries does not confuse them.
    List<String> verbs = new ArrayList<>(List.of("cc"));
    verbs.addAll(FLAGS);
    verbs.addAll(List.of("-o", "libibverbs.so.1", "-Wl,-soname,libibverbs-nic.so.1,--version-script=verbs.map"));
    verbs.addAll(VERBS);
    verbs.add("-ldl");
    CompiledSources.run(folder, verbs);
    Files.createSymbolicLink(folder.resolve("libibverbs-nic.so.1"), Path.of("libibverbs.so.1"));
    List<String> cm = new ArrayList<>(List.of("cc"));
    cm.addAll(FLAGS);
    cm.addAll(List.of("-o", "librdmacm.so.1", "-Wl,-soname,librdmacm-nic.so.1,--version-script=cm.map,-rpath,$ORIGIN"));
    cm.addAll(CM);
    cm.add("libibverbs.so.1");
    CompiledSources.run(folder, cm);
    Files.createSymbolicLink(folder.resolve("librdmacm-nic.so.1"), Path.of("librdmacm.so.1"));
  }
}
