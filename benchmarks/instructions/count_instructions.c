// A plugin of QEMU's user mode that prints how many instructions a program executes. What it needs
// of QEMU's plugin interface, version 1, is declared here, as Debian has no package of the header.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
int qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id,
                                          void (*function)(uint64_t, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* block, int operation,
                                              void* number, uint64_t addend);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*function)(uint64_t, void*), void* data);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

static uint64_t executed;

static void count_block(uint64_t id, struct qemu_plugin_tb* block) {
  (void)id;
  const int addition = 0;
  qemu_plugin_register_vcpu_tb_exec_inline(block, addition, &executed,
                                           qemu_plugin_tb_n_insns(block));
}

static void print_count(uint64_t id, void* data) {
  (void)id, (void)data;
  fprintf(stderr, "instructions %llu\n", (unsigned long long)executed);
}

__attribute__((visibility("default"))) int qemu_plugin_install(uint64_t id, const void* info,
                                                               int count, char** arguments) {
  (void)info, (void)count, (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_atexit_cb(id, print_count, NULL);
  return 0;
}
