package io.github.vertxrdma.perf;

import io.github.vertxrdma.commands.Mode;
import io.github.vertxrdma.commands.Perf;
import io.github.vertxrdma.perf.PairPlacement.Pinning;
import io.github.vertxrdma.perf.work.PerfWorker;
import io.github.vertxrdma.perf.work.Sample;
import io.github.vertxrdma.perf.work.Setup;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A server JVM and a client JVM. New JVMs start for each run if requested, if idle JVMs would poll, or if the operation happens once per
 * process. With {@code --to} the server is on another host and serves one client.
 */
final class JvmContender implements Contender {
  private static final int TIMEOUT = 120;
  /** Maximum rounds of warm-up. Processes that only connect need many until their code is compiled. */
  private static final int LONGEST_WARM_UP = 20;
  private static final double STILL_COMPILES = 0.05;
  private static final long A_DAY = TimeUnit.DAYS.toSeconds(1);
  private static final Set<String> STREAMS = Set.of("http", "stream");

  private final String name;
  private final Setup template;
  private final String poll;
  private final PerfArguments arguments;
  private final long warmUp;
  private final boolean isServerElsewhere;
  private Path folder;
  private ChildProcess server;
  private ChildProcess client;
  private int warmFor = -1;
  private double stolen;

  /** @param poll the poll policy of event loops; null for processes without vertx-rdma */
  JvmContender(String name, Setup template, String poll, PerfArguments arguments) {
    this.name = name;
    this.template = template;
    this.poll = poll;
    this.arguments = arguments;
    this.warmUp = (long) (arguments.warmUp() * 1e9);
    this.isServerElsewhere = template.options().containsKey("to");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Sample run(int size, long nanos) throws Exception {
    if (client == null) {
      start();
    }
    if (warmFor != size) {
      warmUp(size);
      warmFor = size;
    }
    Sample sample = measure(size, nanos);
    boolean fresh = Mode.START.word().equals(template.mode());
    if (fresh || (arguments.restart() || "busy".equals(poll)) && !isServerElsewhere) {
      close();
    }
    return fresh ? sample.withCpu(Double.NaN) : sample;
  }

  /** Runs in processes that have started, without a warm-up. */
  Sample measure(int size, long nanos) throws Exception {
    long[] ticks = OtherWork.ticks();
    Duration before = cpu();
    long begin = System.nanoTime();
    Sample sample = work(size, nanos, arguments.every());
    stolen = OtherWork.stolen(ticks, OtherWork.ticks());
    double seconds = (System.nanoTime() - begin) / 1e9;
    return sample.withCpu(cpu().minus(before).toNanos() / 1e3 / Math.max(1, sample.messages() * seconds));
  }

  @Override
  public double stolen() {
    return stolen;
  }

  Idle.Use idle(long nanos) throws Exception {
    start();
    try {
      LockSupport.parkNanos(warmUp);
      Duration before = cpu();
      long begin = System.nanoTime();
      LockSupport.parkNanos(nanos);
      double seconds = (System.nanoTime() - begin) / 1e9;
      return Idle.Use.of(cpu().minus(before).toNanos() / 1e6 / seconds, List.of(server.pid(), client.pid()));
    } finally {
      close();
    }
  }

  /** Runs until both JVMs have compiled nearly all code. A compiler thread on an event loop's processor would delay its polls. */
  private void warmUp(int size) throws Exception {
    long before = compiled();
    for (int times = 0; times < LONGEST_WARM_UP; times++) {
      work(size, warmUp, 0);
      long now = compiled();
      if ((now - before) * 1e6 < STILL_COMPILES * warmUp) {
        break;
      }
      before = now;
    }
    if (arguments.every() > 0) {
      work(size, warmUp, arguments.every());
    }
  }

  private Duration cpu() {
    return isServerElsewhere ? client.cpu() : server.cpu().plus(client.cpu());
  }

  /** Serves until the client ends. @param ready called when clients can connect */
  void serve(Runnable ready) throws Exception {
    try {
      server = process(setup(), Pinning.SERVER);
      ask(server, new JsonObject().put("do", "serve"));
      ready.run();
      server.send(new JsonObject().put("do", "await").encode());
      server.json(A_DAY);
    } finally {
      close();
    }
  }

  /** Returns the compilation time of both JVMs in milliseconds. */
  private long compiled() throws Exception {
    JsonObject question = new JsonObject().put("do", "compiled");
    return (isServerElsewhere ? 0 : ask(server, question).getLong("millis")) + ask(client, question).getLong("millis");
  }

  private Sample work(int size, long nanos, int pace) throws Exception {
    client.send(new JsonObject().put("do", "run").put("size", size).put("nanos", nanos).put("every", pace).encode());
    return Sample.of(client.json(TimeUnit.NANOSECONDS.toSeconds(nanos)));
  }

  private Setup setup() throws IOException {
    folder = Files.createTempDirectory("rdma-perf");
    Setup setup = new Setup(template.stack(), template.mode(), template.fabric(), template.connections(), template.window(),
      folder.toString(), freePorts(), template.options());
    if (poll != null) {
      setup.writeNodeOptions();
    }
    return setup;
  }

  void start() throws Exception {
    try {
      Setup setup = setup();
      server = isServerElsewhere ? null : process(setup, Pinning.SERVER);
      client = process(setup, Pinning.CLIENT);
      if (!isServerElsewhere) {
        ask(server, new JsonObject().put("do", "serve"));
      }
      ask(client, new JsonObject().put("do", "connect"));
    } catch (Exception e) {
      close();
      throw e;
    }
    warmFor = -1;
  }

  private ChildProcess process(Setup setup, Pinning pinning) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ChildProcess.JAVA);
    for (String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (flag.startsWith("--") || flag.startsWith("-Dio.netty") || flag.startsWith("-Dperf.") || flag.startsWith("-Dvertx.rdma.spin")) {
        command.add(flag);
      }
    }
    command.add("--enable-native-access=ALL-UNNAMED");
    if (setup.stack().equals("aeron")) {
      command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
    }
    if (arguments.placement().pinned()) {
      command.addAll(List.of("-XX:+UseSerialGC", "-Xms1g", "-Xmx2g", "-XX:-UsePerfData"));
    }
    String extra = System.getProperty("perf.jvm." + pinning.name().toLowerCase(Locale.ROOT));
    if (extra != null) {
      command.addAll(List.of(extra.split(" ")));
    }
    if (poll == null) {
      command.add("-Dvertx.rdma=off");
    } else {
      command.addAll(List.of("-Dvertx.rdma.poll=" + poll, "-Dvertx.rdma.config=" + setup.nodeFile()));
      if (setup.options().containsKey("spin")) {
        command.add("-Dvertx.rdma.spin=" + setup.options().getValue("spin"));
      }
      if (STREAMS.contains(setup.mode()) && !setup.fabric().equals(Perf.NO_FABRIC)) {
        command.add("-Dvertx.rdma.streams=all");
      }
    }
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), PerfWorker.class.getName(), setup.toJson().encode()));
    String who = name + " " + pinning.name().toLowerCase(Locale.ROOT);
    List<String> there = poll == null ? command : DeviceInUserSpace.command(setup.fabric(), command);
    return new ChildProcess(who, arguments.placement().command(pinning, there), TIMEOUT);
  }

  private static JsonObject ask(ChildProcess process, JsonObject command) throws Exception {
    return process.ask(command.encode());
  }

  private static int freePorts() throws IOException {
    for (int attempt = 0; attempt < 100; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (ServerSocket one = new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
        ServerSocket two = new ServerSocket(port + 1, 1, InetAddress.getLoopbackAddress())) {
        return one.getLocalPort() < two.getLocalPort() ? port : port + 1;
      } catch (IOException e) {
        // Tries other ports.
      }
    }
    throw new IOException("fewer than two TCP ports are free");
  }

  @Override
  public void close() {
    for (ChildProcess process : new ChildProcess[] {client, server}) {
      if (process != null) {
        process.close();
      }
    }
    client = null;
    server = null;
    if (folder != null) {
      ChildProcess.delete(folder);
      folder = null;
    }
  }
}
