package io.github.vertxrdma;

import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.github.vertxrdma.provider.contract.OverFabrics;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedMethod;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Counts the classes whose methods run in a {@code write} of 64 bytes, as Flight Recorder traces them, until it is in shared memory. */
@OverFabrics("shm")
@Timeout(120)
class MessageClassesTest extends FabricPair {
  private static final int MOST = 18;
  private static final int MESSAGES = 10;
  private static final Buffer MESSAGE = Buffer.buffer(new byte[64]);

  @Test
  void messagePassesFewClasses() throws Exception {
    Context context = clientVertx.getOrCreateContext();
    await(server.createServer().connectHandler(c -> c.handler(message -> {})).listen("sink"));
    RdmaConnection connection = await(Future.future(connected -> context.runOnContext(v -> client.connect("sink").onComplete(connected))));
    await(write(context, connection));
    Path file = folder.resolve("trace.jfr");
    try (Recording recording = new Recording(Map.of("jdk.MethodTrace#enabled", "true", "jdk.MethodTrace#filter", tracedClasses(),
      "jdk.MethodTrace#stackTrace", "false"))) {
      recording.start();
      await(write(context, connection));
      recording.stop();
      recording.dump(file);
    }
    List<RecordedEvent> calls = RecordingFile.readAllEvents(file);
    Set<String> fewest = calls.stream()
      .filter(call -> typeOf(call).endsWith(".RdmaConnectionImpl") && method(call).getName().equals("write"))
      .map(write -> within(write, calls)).filter(passed -> passed.stream().anyMatch(type -> type.endsWith(".RingWriter")))
      .min(Comparator.comparing(Set::size)).orElseThrow();
    assertTrue(fewest.size() <= MOST, fewest.size() + " classes: " + fewest);
  }

  /** Writes some messages in one task. The first one may wake the peer, which adds classes; one without room does not reach the ring. */
  private static Future<Void> write(Context context, RdmaConnection connection) {
    return Future.future(done -> context.runOnContext(v -> {
      Future<Void> last = null;
      for (int i = 0; i < MESSAGES; i++) {
        last = connection.write(MESSAGE);
      }
      last.onComplete(done);
    }));
  }

  private static String tracedClasses() {
    return new ClassFileImporter().withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("io.github.vertxrdma")
      .stream().filter(MessageClassesTest::isOfProduct).map(JavaClass::getName).collect(Collectors.joining(";"));
  }

  private static boolean isOfProduct(JavaClass type) {
    String name = type.getPackageName().substring("io.github.vertxrdma".length());
    return name.isEmpty() || name.startsWith(".impl.") || name.equals(".base")
      || Set.of(".provider", ".provider.ffi", ".provider.software", ".provider.shm").contains(name);
  }

  private static Set<String> within(RecordedEvent write, List<RecordedEvent> calls) {
    return calls.stream()
      .filter(call -> call.getThread().getId() == write.getThread().getId() && !call.getStartTime().isBefore(write.getStartTime())
        && !call.getEndTime().isAfter(write.getEndTime()))
      .map(MessageClassesTest::typeOf).collect(Collectors.toCollection(TreeSet::new));
  }

  private static RecordedMethod method(RecordedEvent call) {
    return call.getValue("method");
  }

  private static String typeOf(RecordedEvent call) {
    return method(call).getType().getName();
  }
}
