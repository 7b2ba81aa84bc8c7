package io.github.vertxrdma.fi;

import io.github.vertxrdma.nic.CompiledSources;
import io.github.vertxrdma.nic.Nic;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Simulated libfabric providers {@code efa}, {@code cxi} and {@code opx}, compiled on first use with the C compiler and the headers of
 * libfabric. The environment variable {@value #LIBFABRIC} names the libfabric; the default is the system's.
 *
 * @param library path of a copy of that libfabric, so that a process can also load the original
 * @param missing why the providers cannot be built; null if they were built
 */
public record FiStandIn(Path library, String missing) {
  public static final String LIBFABRIC = "VERTX_RDMA_LIBFABRIC";
  /** Environment variable with the maximum number of memory regions of a device; by default the limit of the real device. */
  public static final String REGIONS = "VERTX_RDMA_FI_REGIONS";
  /** Environment variable with the number of list entries that processes over {@code cxi} may use; by default that of a real endpoint. */
  public static final String LIST_ENTRIES = "VERTX_RDMA_FI_LIST_ENTRIES";
  /** Environment variable with the queue pair number of {@code efa} endpoints. */
  public static final String NUMBER = "VERTX_RDMA_FI_NUMBER";
  /** System property with the path of the libfabric that vertx-rdma loads. */
  private static final String PROPERTY = "vertx.rdma.libfabric";
  public static final String EFA = "efa:rdmap0s6-rdm";
  public static final List<String> PROVIDERS = List.of("efa", "cxi", "opx");

  private static final List<String> COMMON = List.of("endpoint.c", "fault.c", "info.c", "memory.c", "object.c", "wire.c");
  private static final List<String> SOURCES = Stream
    .of(List.of("fi.h"), COMMON, PROVIDERS.stream().map(name -> name + ".c").toList()).flatMap(List::stream).toList();
  private static final List<String> FLAGS = List.of("-std=gnu11", "-O2", "-g", "-fPIC", "-shared", "-pthread", "-fvisibility=hidden",
    "-Wall", "-Wextra", "-Werror", "-Wno-deprecated-declarations");
  private static final String FILE = "libfabric.so.1";

  private static final class Built {
    static final FiStandIn STAND_IN = build();
  }

  public static FiStandIn built() {
    return Built.STAND_IN;
  }

  /** Returns environment variables with which another process finds only these providers. */
  public Map<String, String> environment() {
    return Map.of(LIBFABRIC, library.toString(), "FI_PROVIDER_PATH", '@' + library.getParent().toString(), "FI_PROVIDER",
      String.join(",", PROVIDERS));
  }

  private static String file(String provider) {
    return "lib" + provider + "-fi.so";
  }

  public List<String> launcher() {
    return Stream.concat(Stream.of("env"), environment().entrySet().stream().map(Object::toString)).toList();
  }

  /** Runs a function with {@link #environment} set. Needed for the first search for devices, when libfabric reads the environment. */
  public <T> T during(Supplier<T> search) {
    environment().forEach(Nic::setVariable);
    try {
      return search.get();
    } finally {
      environment().keySet().forEach(name -> Nic.setVariable(name, System.getenv(name)));
    }
  }

  /** Makes this process find only these providers, until {@link #withdraw}. */
  public void provide() {
    environment().forEach(Nic::setVariable);
    System.setProperty(PROPERTY, library.toString());
  }

  public static void withdraw() {
    if (System.getProperty(PROPERTY) != null) {
      System.clearProperty(PROPERTY);
      built().environment().keySet().forEach(name -> Nic.setVariable(name, System.getenv(name)));
    }
  }

  /** Fails an operation that the provider itself started. */
  public void failInternal(String provider) {
    call(provider, "standin_fail_internal");
  }

  /** @param every average number of requests per failure; 0 for none */
  public void failAtRandom(String provider, int seed, int every) {
    call(provider, "standin_fail_at_random", seed, every);
  }

  /**
   * Holds back messages between the provider's present endpoints.
   *
   * @param on false delivers held messages to the endpoints that now have the target addresses
   */
  public void keep(String provider, boolean on) {
    call(provider, "standin_keep", on ? 1 : 0);
  }

  public int kept(String provider) {
    return call(provider, "standin_kept");
  }

  public int regions(String provider) {
    return call(provider, "standin_regions");
  }

  /** Returns the number of kernel registrations that were made for single operations. */
  public int maps(String provider) {
    return call(provider, "standin_maps");
  }

  public int endpointsWithoutEvents(String provider) {
    return call(provider, "standin_without_events");
  }

  private int call(String provider, String function, Object... arguments) {
    return Nic.value(library.resolveSibling(file(provider)), function, arguments);
  }

  private static FiStandIn build() {
    try {
      if (!System.getProperty("os.name").equals("Linux")) {
        return new FiStandIn(null, "the simulated providers of libfabric need Linux");
      }
      Path original = original();
      if (original == null) {
        return new FiStandIn(null, "the simulated providers of libfabric need a C compiler and libfabric (gcc, libc6-dev, libfabric-dev)");
      }
      if (PROVIDERS.stream().allMatch(name -> Files.exists(original.resolveSibling(file(name))))) {
        // LIBFABRIC names the copy beside providers that another process built
        return new FiStandIn(original, null);
      }
      Path headers = original.resolve("../../include").normalize();
      List<String> include = Files.exists(headers.resolve("rdma/fabric.h")) ? List.of("-I", headers.toString()) : List.of();
      return CompiledSources.isAccepted("#include <rdma/providers/fi_prov.h>\n", include) ? compiled(original, include)
        : new FiStandIn(null, "the simulated providers of libfabric need its headers (libfabric-dev)");
    } catch (IOException e) {
      throw new UncheckedIOException("cannot build the simulated libfabric providers", e);
    }
  }

  private static Path original() {
    String given = System.getenv(LIBFABRIC);
    if (given != null) {
      return Path.of(given);
    }
    try {
      Path found = Path.of(CompiledSources.run(Path.of("."), List.of("cc", "-print-file-name=" + FILE)).strip());
      return found.isAbsolute() ? found : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static FiStandIn compiled(Path original, List<String> include) throws IOException {
    CompiledSources sources = new CompiledSources();
    for (String source : SOURCES) {
      sources.add(source, FiStandIn.class.getResourceAsStream("source/" + source));
    }
    Path real = original.toRealPath();
    Path folder = sources.build("fi", real.toString() + Files.size(real), made -> {
      compile(made, include);
      renamed(real, made.resolve(FILE));
    });
    return new FiStandIn(folder.resolve(FILE), null);
  }

  /**
   * Copies the library and changes its soname, keeping the length. With the same soname, the dynamic linker would reuse the loaded
   * original; see ld.so(8).
   */
  private static void renamed(Path from, Path to) throws IOException {
    byte[] bytes = Files.readAllBytes(from);
    byte[] name = FILE.getBytes(StandardCharsets.US_ASCII);
    for (int i = 0; i + name.length <= bytes.length; i++) {
      if (Arrays.equals(bytes, i, i + name.length, name, 0, name.length)) {
        bytes[i + "libfabri".length()] = 'x';
      }
    }
    Files.write(to, bytes);
  }

  private static void compile(Path folder, List<String> include) throws IOException {
    for (String provider : PROVIDERS) {
      CompiledSources.run(folder, List.of("cc"), FLAGS, include, List.of("-o", file(provider), provider + ".c"), COMMON);
    }
  }
}
