package io.github.vertxrdma.impl.process;

import io.github.vertxrdma.provider.Access;
import io.github.vertxrdma.provider.Domain;
import io.github.vertxrdma.provider.MemoryRegion;
import java.lang.annotation.Annotation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import jdk.jfr.AnnotationElement;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.EventFactory;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.ValueDescriptor;

/** Records events of Java Flight Recorder. Thread-safe. */
public final class FlightEvents {
  /** False in a jlink image without Flight Recorder. */
  private static final boolean EXISTS = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

  public interface Attempt {
    void ended(String what, String device, Throwable cause);
  }

  /** Event types with their fields. Only a recording loads this class, because that takes CPU time. */
  private static final class Types {
    static final EventFactory REGISTRATION = type("Registration", "Registration", "Memory was registered with a device.", text("device"),
      field(long.class, "size", DataAmount.class, DataAmount.BYTES), text("failure"));
    static final EventFactory CONNECT = type("Connect", "Connect",
      "An attempt to connect over one fabric, from its start until the connection is open or has failed.", text("what"), text("device"),
      text("failure"));
    static final EventFactory CONNECTION = type("Connection", "Connection", "A connection opened or closed.", text("peer"), text("name"),
      text("device"), field(boolean.class, "open", null, null), text("cause"));
    static final EventFactory REFUSAL = type("Refusal", "Refusal", "A peer was rejected, or did not finish its handshake.", text("why"));
    static final EventFactory NODE_END = type("NodeEnd", "Node End", "A connected node ended, or was lost.", text("node"), text("name"),
      field(boolean.class, "orderly", Description.class, "The node sent a good-bye."),
      field(boolean.class, "certain", Description.class,
        "The process of the node has ended. Otherwise it was silent, or could not be reached, for too long."),
      text("cause"));
    static final EventFactory TCP = type("Tcp", "TCP", "A connection of the event bus or of a stream to a peer used TCP.", text("node"),
      text("name"), text("address"), field(String.class, "reason", Description.class, "As in metrics."), text("why"));
    static final EventFactory RETRY = type("Retry", "Retry", "A device was busy for so long that a timer retries.", text("device"),
      field(long.class, "retries", null, null));

    private static EventFactory type(String name, String label, String description, ValueDescriptor... fields) {
      return EventFactory.create(List.of(new AnnotationElement(Name.class, "io.github.vertxrdma." + name),
        new AnnotationElement(Label.class, label), new AnnotationElement(Description.class, description),
        new AnnotationElement(Category.class, new String[] {"vertx-rdma"}), new AnnotationElement(StackTrace.class, false)),
        List.of(fields));
    }

    private static ValueDescriptor text(String name) {
      return field(String.class, name, null, null);
    }

    /** @param annotation annotation beside the label, with {@code value}; null for none */
    private static ValueDescriptor field(Class<?> type, String name, Class<? extends Annotation> annotation, String value) {
      List<AnnotationElement> all = new ArrayList<>();
      all.add(new AnnotationElement(Label.class, Character.toUpperCase(name.charAt(0)) + name.substring(1)));
      if (annotation != null) {
        all.add(new AnnotationElement(annotation, value));
      }
      return new ValueDescriptor(type, name, all);
    }
  }

  private FlightEvents() {
  }

  private static boolean recorded() {
    return EXISTS && FlightRecorder.isInitialized();
  }

  private static void commit(Event event, Object... values) {
    for (int i = 0; i < values.length; i++) {
      event.set(i, values[i]);
    }
    event.commit();
  }

  private static String message(Throwable cause) {
    return cause == null ? null : cause.getMessage();
  }

  public static MemoryRegion register(Domain domain, MemorySegment memory, Set<Access> access) {
    if (!recorded()) {
      return domain.register(memory, access);
    }
    Event event = Types.REGISTRATION.newEvent();
    String failure = null;
    event.begin();
    try {
      return domain.register(memory, access);
    } catch (RuntimeException e) {
      failure = e.getMessage();
      throw e;
    } finally {
      event.end();
      commit(event, domain.device().name(), memory.byteSize(), failure);
    }
  }

  public static Attempt connecting() {
    if (!recorded()) {
      return (what, device, cause) -> {};
    }
    Event event = Types.CONNECT.newEvent();
    event.begin();
    return (what, device, cause) -> commit(event, what, device, message(cause));
  }

  /** @param cause null if the connection opened or was closed in order */
  public static void connection(String peer, String name, String device, boolean open, Throwable cause) {
    if (recorded()) {
      commit(Types.CONNECTION.newEvent(), peer, name, device, open, message(cause));
    }
  }

  public static void refusal(String why) {
    if (recorded()) {
      commit(Types.REFUSAL.newEvent(), why);
    }
  }

  public static void nodeEnd(String node, String name, boolean orderly, boolean certain, String cause) {
    if (recorded()) {
      commit(Types.NODE_END.newEvent(), node, name, orderly, certain, cause);
    }
  }

  public static void tcp(String node, String name, String address, String reason, String why) {
    if (recorded()) {
      commit(Types.TCP.newEvent(), node, name, address, reason, why);
    }
  }

  public static void retry(String device, long retries) {
    if (recorded()) {
      commit(Types.RETRY.newEvent(), device, retries);
    }
  }
}
