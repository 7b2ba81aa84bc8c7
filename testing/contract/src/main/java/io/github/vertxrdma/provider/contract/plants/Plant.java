package io.github.vertxrdma.provider.contract.plants;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ConstantDescs;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

/**
 * A bug that a class loader inserts into a method, by other code instead of calls. Tests run simulations with different seeds until one
 * finds the bug.
 *
 * @param in class and method below {@code io.github.vertxrdma}, such as {@code impl.link.Link.close}; several methods as {@code close|end}
 * @param call name of the called method; several as {@code close|end}
 * @param instead builds the code that replaces the call, whose arguments are on the stack
 * @param triedFirst seed to try first; 0 for none
 */
public record Plant(String what, String in, String call, Instead instead, long triedFirst) {
  static final String ROOT = "io.github.vertxrdma.";

  public Plant(String what, String in, String call, Instead instead) {
    this(what, in, call, instead, 0);
  }

  public Plant foundBy(long conversation) {
    return new Plant(what, in, call, instead, conversation);
  }

  @FunctionalInterface
  public interface Instead {
    void build(CodeBuilder code, InvokeInstruction call);
  }

  String className() {
    return ROOT + in.substring(0, in.lastIndexOf('.'));
  }

  private String method() {
    return in.substring(in.lastIndexOf('.') + 1);
  }

  private static boolean is(String names, String name) {
    return List.of(names.split("\\|")).contains(name);
  }

  byte[] planted(byte[] bytes) {
    int[] places = new int[1];
    byte[] changed = ClassFile.of().transformClass(ClassFile.of().parse(bytes), ClassTransform.transformingMethodBodies(
      (MethodModel model) -> is(method(), model.methodName().stringValue()), (code, element) -> {
        if (element instanceof InvokeInstruction invoke && is(call, invoke.name().stringValue())) {
          places[0]++;
          instead.build(code, invoke);
        } else {
          code.with(element);
        }
      }));
    if (places[0] == 0) {
      throw new IllegalStateException(in + " calls no " + call);
    }
    List<VerifyError> errors = ClassFile.of().verify(changed);
    if (!errors.isEmpty()) {
      throw new IllegalStateException(what + ": " + errors.getFirst().getMessage());
    }
    return changed;
  }

  public void write(Path folder) throws IOException {
    String name = className().replace('.', '/') + ".class";
    Path file = folder.resolve(name);
    byte[] bytes = Files.exists(file) ? Files.readAllBytes(file) : original(name);
    Files.createDirectories(file.getParent());
    Files.write(file, planted(bytes));
  }

  private static byte[] original(String name) throws IOException {
    try (InputStream in = Plant.class.getClassLoader().getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("no class file " + name);
      }
      return in.readAllBytes();
    }
  }

  /**
   * Runs seeds until one finds the bug.
   *
   * @param conversation class with a static {@code String found(long seed)} that returns a failed check, or null
   * @return the failed check and the seed; null if none finds the bug
   */
  public String search(Class<?> conversation, long first, long count) throws ReflectiveOperationException {
    checkPlace();
    PlantLoader loader = new PlantLoader(List.of(this));
    Method run = loader.loadClass(conversation.getName()).getDeclaredMethod("found", long.class);
    run.setAccessible(true);
    AtomicReference<String> found = new AtomicReference<>();
    if (triedFirst > 0) {
      assertTrue(first <= triedFirst && triedFirst < first + count, what);
      tryOne(run, triedFirst, found);
    }
    AtomicLong next = new AtomicLong(first);
    IntStream.range(0, Runtime.getRuntime().availableProcessors()).parallel().forEach(processor -> {
      for (long seed = next.getAndIncrement(); seed < first + count && found.get() == null; seed = next.getAndIncrement()) {
        tryOne(run, seed, found);
      }
    });
    if (found.get() == null) {
      loader.checkUsed();
    }
    return found.get();
  }

  /** Checks that the method contains the call. */
  private void checkPlace() {
    try {
      planted(original(className().replace('.', '/') + ".class"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void tryOne(Method run, long seed, AtomicReference<String> found) {
    try {
      String failure = (String) run.invoke(null, seed);
      if (failure != null) {
        found.set("conversation " + seed + ": " + failure);
      }
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(what, e.getCause());
    } catch (IllegalAccessException e) {
      throw new AssertionError(e);
    }
  }

  public void isFoundBy(Class<?> conversation, long count) throws ReflectiveOperationException {
    String found = search(conversation, 1, count);
    assertNotNull(found, what);
    System.out.println(what + ": " + found);
  }

  public static Instead answer(boolean value) {
    return (code, call) -> {
      for (int i = call.typeSymbol().parameterCount(); i > 0; i--) {
        if (call.typeSymbol().parameterType(i - 1).equals(ConstantDescs.CD_long)) {
          code.pop2();
        } else {
          code.pop();
        }
      }
      if (call.opcode() != Opcode.INVOKESTATIC) {
        code.pop();
      }
      code.loadConstant(value ? 1 : 0);
    };
  }

  @Override
  public String toString() {
    return what;
  }
}
