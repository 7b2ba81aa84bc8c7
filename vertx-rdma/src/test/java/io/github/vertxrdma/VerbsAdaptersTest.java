package io.github.vertxrdma;

import io.github.vertxrdma.nic.Nic;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class VerbsAdaptersTest extends AdaptersContract {
  private static final List<String> NAMES = List.of("mlx5", "nic");
  private static final int ROUNDS = 30;

  private final Map<Rdma, MemoryRegion> locals = new HashMap<>();

  @Override
  String fabric() {
    return "verbs-rocev2";
  }

  @Override
  RdmaOptions options() {
    // The connection manager gives the addresses of this host to one device only.
    return super.options().setSettings(new JsonObject().put("verbs.device", String.join(",", NAMES)).put("verbs.connect", "exchange"));
  }

  @Override
  List<String> devices() {
    return NAMES.stream().map(name -> VerbsInUserSpace.PREFIX + name).toList();
  }

  @Override
  void carries(int device, boolean it) {
    Nic.built().port(NAMES.get(device), it);
  }

  @AfterEach
  void up() {
    NAMES.forEach(name -> {
      Nic.built().port(name, true);
      Nic.built().rate(name, 0);
    });
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1000})
  @Tag("long")
  void halvesTake(int rate, TestReporter reporter) throws Exception {
    int size = 16 << 20;
    await(server.createRegion(new RegionOptions().setName("table").setSize(size).setAccess(RegionAccess.READ, RegionAccess.WRITE)));
    Rdma both = Rdma.create(clientVertx, options().setRegionSplitSize(RdmaOptions.MIN_REGION_SPLIT_SIZE));
    List<RemoteRegion> regions = List.of(await(client.openRegion("table")), await(both.openRegion("table")));
    NAMES.forEach(name -> Nic.built().rate(name, rate));
    for (int length : new int[] {64 << 10, 256 << 10, 1 << 20, size}) {
      List<List<Long>> times = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
      for (int round = 0; round < 2 * ROUNDS; round++) {
        for (int way = 0; way < 2; way++) {
          RemoteRegion region = regions.get(way);
          MemoryRegion into = locals(way == 0 ? client : both, size);
          List<Long> reads = times.get(way);
          List<Long> writes = times.get(2 + way);
          long began = System.nanoTime();
          await(region.read(0, into, 0, length));
          long then = System.nanoTime();
          await(region.write(0, into, 0, length));
          if (round >= ROUNDS) {
            reads.add(then - began);
            writes.add(System.nanoTime() - then);
          }
        }
      }
      reporter.publishEntry((rate == 0 ? "no bound, " : rate + " MB/s, ") + length + " bytes", "read over one " + median(times.get(0))
        + " µs, in halves " + median(times.get(1)) + " µs; write " + median(times.get(2)) + " µs, in halves " + median(times.get(3))
        + " µs");
    }
  }

  private MemoryRegion locals(Rdma rdma, int size) throws Exception {
    MemoryRegion local = locals.get(rdma);
    if (local == null) {
      local = await(rdma.createRegion(new RegionOptions().setSize(size)));
      locals.put(rdma, local);
    }
    return local;
  }

  private static long median(List<Long> nanos) {
    return nanos.stream().sorted().toList().get(nanos.size() / 2) / 1000;
  }
}
