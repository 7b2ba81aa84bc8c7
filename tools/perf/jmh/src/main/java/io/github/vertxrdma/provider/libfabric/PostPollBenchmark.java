package io.github.vertxrdma.provider.libfabric;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.CompletionBatch;
import io.github.vertxrdma.provider.DiscoveryOptions;
import io.github.vertxrdma.provider.EndpointCounters;
import io.github.vertxrdma.provider.MemoryRegion;
import io.github.vertxrdma.provider.PostFlags;
import io.github.vertxrdma.provider.Status;
import io.github.vertxrdma.provider.WorkRequest;
import io.github.vertxrdma.provider.ffi.Memory;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Cost of a post and the poll of its completion in Java: sendmsg and cq_read call a few instructions of C, which are compiled when this
 * starts. Everything else is as in production; a tcp domain provides the queue and the registered memory.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(value = 1, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
public class PostPollBenchmark {
  private static final int TABLE = 256;

  private final CompletionBatch batch = new CompletionBatch(64);
  private final WorkRequest request = new WorkRequest();
  private FabricCompletionQueue queue;
  private Poster poster;
  private SendWork work;
  private MemoryRegion region;
  private long id;

  @Setup
  public void open() throws Exception {
    Path folder = Files.createTempDirectory("rdma-stub");
    Path source = folder.resolve("stub.c");
    Path library = folder.resolve("stub.so");
    try (InputStream in = PostPollBenchmark.class.getResourceAsStream("stub.c")) {
      Files.copy(in, source);
    }
    if (new ProcessBuilder("cc", "-O2", "-shared", "-fPIC", "-o", library.toString(), source.toString()).inheritIO().start()
      .waitFor() != 0) {
      throw new IllegalStateException("the stub could not be compiled: is there a C compiler?");
    }
    SymbolLookup stub = SymbolLookup.libraryLookup(library, Arena.global());
    FabricDevice device = (FabricDevice) new LibfabricProvider().discover(new DiscoveryOptions()).devices().stream()
      .filter(each -> each.name().equals("tcp")).findFirst().orElseThrow();
    FabricDomain domain = (FabricDomain) device.open();
    region = domain.register(Arena.global().allocate(4096, 4096), Set.of(Access.LOCAL_WRITE));
    queue = new FabricCompletionQueue(domain, 1024, false);
    Field read = FabricCompletionQueue.class.getDeclaredField("read");
    read.setAccessible(true);
    read.set(queue, stub.find("stub_read").orElseThrow().address());
    long endpoint = zeroed();
    long messages = table();
    Memory.putLong(messages + Structs.MSG_SENDMSG, stub.find("stub_sendmsg").orElseThrow().address());
    Memory.putLong(endpoint + Structs.FID_OPS, table());
    Memory.putLong(endpoint + Structs.EP_MSG, messages);
    poster = new Poster(domain, queue, new Fid("endpoint", endpoint), 0, 64, 1);
    work = new SendWork(null, new EndpointCounters(), 256, null);
  }

  private static long zeroed() {
    MemorySegment segment = Arena.global().allocate(TABLE, 64);
    return segment.address();
  }

  private static long table() {
    long table = zeroed();
    Memory.putLong(table, TABLE);
    return table;
  }

  @Benchmark
  public int postAndPoll() {
    int status = poster.post(work, 0, 0, request.send(region, 0, 64).id(id++).flags(PostFlags.SIGNALED));
    if (status != Status.OK || queue.poll(batch) != 1) {
      throw new IllegalStateException(Status.name(status));
    }
    return status;
  }

  @Benchmark
  public int pollInVain() {
    return queue.poll(batch);
  }
}
