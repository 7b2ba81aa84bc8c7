package io.github.vertxrdma.functions;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.vertxrdma.functions.FunctionException.Reason;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CodeTest extends Nodes {
  private static final LeaseOptions COLD = new LeaseOptions().setMode(WorkerMode.COLD).setWaitTimeout(Duration.ofSeconds(60));
  private static final boolean ALL = Boolean.getBoolean("vertx.rdma.test.all");
  private static final Buffer SECRET = Buffer.buffer("no more than a test's secret\n");
  private Path secret;

  @Override
  String fabric() {
    return "nio";
  }

  @BeforeEach
  void secret() throws Exception {
    secret = Files.write(folder.resolve("secret"), SECRET.getBytes());
  }

  private FunctionServerOptions taking(CodeOptions code) {
    return new FunctionServerOptions().setCores(1).setColdWorkerRdma(options()).setColdJvmOptions(ColdWorkerTest.QUICK).setCode(code);
  }

  private static FunctionClient client(Node node) {
    return FunctionClient.create(node.rdma, new FunctionClientOptions().setTimeout(Duration.ofMillis(0)));
  }

  private Buffer jar() throws Exception {
    Path source = Files.createDirectories(folder.resolve("source/sent")).resolve("Sent.java");
    Files.writeString(source, """
      package sent;
      import io.github.vertxrdma.functions.*;
      import io.vertx.core.buffer.Buffer;
      public class Sent implements FunctionProvider {
        public void register(FunctionRegistry registry) {
          registry.register("sent", invocation -> {
            try (var in = Sent.class.getResourceAsStream("words")) {
              return io.vertx.core.Future.succeededFuture(Buffer.buffer(new Other().loader() + ' ').appendBytes(in.readAllBytes()));
            }
          });
        }
        static class Other {
          String loader() { return getClass().getClassLoader().getName(); }
        }
      }
      """);
    Path classes = Files.createDirectories(folder.resolve("classes"));
    assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-proc:none", "-cp", System.getProperty("java.class.path"),
      "-d", classes.toString(), source.toString()));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream out = new JarOutputStream(bytes)) {
      for (String name : List.of("sent/Sent.class", "sent/Sent$Other.class")) {
        out.putNextEntry(new JarEntry(name));
        out.write(Files.readAllBytes(classes.resolve(name)));
      }
      out.putNextEntry(new JarEntry("sent/words"));
      out.write("in a jar".getBytes());
      out.putNextEntry(new JarEntry("META-INF/services/" + FunctionProvider.class.getName()));
      out.write("sent.Sent\n".getBytes());
    }
    return Buffer.buffer(bytes.toByteArray());
  }

  @Test
  void signedCodeRunsAndIsGoneWithItsLease() throws Exception {
    KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Node server = manager(taking(new CodeOptions().setSecretFile(secret.toString())
      .addPublicKey(Base64.getEncoder().encodeToString(keys.getPublic().getEncoded()))));
    FunctionClient invoker = client(node());
    Buffer jar = jar();
    List<SignedCode> signed = List.of(SignedCode.withSecret(jar, SECRET), SignedCode.withKey(jar, keys.getPrivate()));
    for (SignedCode code : ALL ? signed : signed.subList(1, 2)) {
      Lease lease = await(invoker.lease(COLD, code), ColdWorkerTest.PATIENCE).getFirst();
      assertEquals("vertx-rdma-code in a jar", await(invoker.invoke("sent", Buffer.buffer())).toString());
      ProcessHandle process = ProcessHandle.of(await(invoker.invoke("pid", Buffer.buffer())).getLong(0)).orElseThrow();
      assertFails(Reason.UNKNOWN_FUNCTION, "'echo'", invoker.invoke("echo", Buffer.buffer()));
      await(lease.end());
      ColdWorkerTest.untilGone(process);
      until("its core is free", 60, () -> server.manager.freeCores() == 1);
    }
    await(invoker.lease(new LeaseOptions().setWaitTimeout(Duration.ofSeconds(20))));
    assertFails(Reason.UNKNOWN_FUNCTION, "'sent'", invoker.invoke("sent", Buffer.buffer()));
    assertEquals(0, server.manager.refusals());
  }

  private static void assertRefused(String words, Future<?> lease) {
    assertFails(Reason.CODE_REFUSED, words, lease);
  }

  @Test
  void codeWithoutValidSignatureIsRefused() throws Exception {
    KeyPair allowed = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    Node server = manager(taking(new CodeOptions().setSecretFile(secret.toString()).setMaxBytes(10_000)
      .addPublicKey(Base64.getEncoder().encodeToString(allowed.getPublic().getEncoded()))));
    FunctionClient invoker = client(node());
    Buffer jar = Buffer.buffer(new byte[5_000]);
    Buffer other = Buffer.buffer("a secret of somebody else's");
    assertRefused("is not signed", invoker.lease(COLD, SignedCode.of(jar, true, Buffer.buffer())));
    assertRefused("not signed with the secret", invoker.lease(COLD, SignedCode.withSecret(jar, other)));
    assertRefused("not signed with a key", invoker.lease(COLD,
      SignedCode.withKey(jar, KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate())));
    Buffer good = SignedCode.withSecret(jar, SECRET).signature();
    assertRefused("not signed with the secret", invoker.lease(COLD, SignedCode.of(jar.copy().setByte(7, (byte) 1), true, good)));
    assertRefused("not signed with a key", invoker.lease(COLD, SignedCode.of(jar, false, good)));
    Buffer large = Buffer.buffer(new byte[10_001]);
    assertRefused("it has 10001 bytes, and 10000 are allowed", invoker.lease(COLD, SignedCode.withSecret(large, SECRET)));
    assertEquals(6, server.manager.refusals());
    assertEquals(1, server.manager.freeCores());
    assertThrows(IllegalArgumentException.class, () -> invoker.lease(new LeaseOptions(), SignedCode.withSecret(jar, SECRET)));
  }

  @Test
  @Tag("long")
  void codeIsRefusedIfItIsNoJar() throws Exception {
    Node server = manager(taking(new CodeOptions().setSecretFile(secret.toString())));
    assertRefused("the code is not a jar", client(node()).lease(COLD, SignedCode.withSecret(Buffer.buffer("no jar"), SECRET)));
    until("its core is free", 60, () -> server.manager.freeCores() == 1);
  }

  @Test
  void codeIsRefusedByDefault() throws Exception {
    manager(taking(null));
    assertRefused("it accepts no code", client(node()).lease(COLD, SignedCode.withSecret(Buffer.buffer(new byte[10]), SECRET)));
  }
}
